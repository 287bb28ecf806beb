// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import PushModel
import PushStore

/// The devices and users that may join an activity: `/v1/apps/{app}/activities/{activity}/participants`.
struct ActivityMemberRoutes: APIRoutes {
    let store: any ActivityStore & AppStore
    let bodyLimit: Int

    var routes: [APIRoute] {
        [
            APIRoute(
                .post,
                "/v1/apps/{app}/activities/{activity}/participants",
                .scopes([.activities]),
                self.name
            )
        ]
    }

    private func name(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let members = try ActivityMembers(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        do {
            guard try await self.store.name(members, in: try call.activity(), of: app.id) else {
                throw Problem.unknownActivity
            }
        } catch let refusal as ActivityError {
            throw Problem(refusal)
        }
        return Response(status: .noContent)
    }
}

extension ActivityMembers {
    static let members = ["devices", "users"]

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var named = ActivityMembers()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try named.read(member, &reader, path)
        } finish: { reader in
            named.check(&reader, .root)
            return named
        }
    }

    /// Reads a member of a body.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> ActivityMembers {
        var named = ActivityMembers()
        try reader.object(path, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try named.read(member, &reader, path)
        }
        named.check(&reader, path)
        return named
    }

    private mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        if member == "devices" {
            self.devices = Set(try DeviceSelectionParser.identifiers(&reader, path) ?? [])
        } else {
            self.users = Set(try DeviceSelectionParser.identifiers(&reader, path) ?? [])
        }
    }

    private func check(_ reader: inout JSONReader, _ path: FieldPath) {
        guard self.count > ActivityLimit.namedMembers else { return }
        let rule = "at most \(ActivityLimit.namedMembers) devices and users together"
        reader.faults.add(path, expected: rule, got: "\(self.count)", code: .tooManyTargets)
    }
}
