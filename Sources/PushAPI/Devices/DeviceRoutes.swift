// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on devices: `/v1/apps/{app}/devices`.
struct DeviceRoutes: APIRoutes {
    let store: any AppStore & DeviceStore
    let bodyLimit: Int
    let now: @Sendable () -> Date
    let attestations: AttestationGate

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/devices"
        let single = "/v1/apps/{app}/devices/{device}"
        return [
            APIRoute(.get, list, .scopes([.devices, .read]), self.list),
            APIRoute(.post, "/v1/apps/{app}/devices:search", .scopes([.devices, .read]), self.search),
            APIRoute(.put, single, .scopes([.devices, .client]), self.register).onEventLoop,
            APIRoute(.get, single, .scopes([.devices, .read]), self.show).onEventLoop,
            APIRoute(.delete, single, .scopes([.devices, .client]), self.remove).onEventLoop,
            APIRoute(.delete, "\(single)/secret", .scopes([.devices]), self.resetSecret),
            APIRoute(.get, "\(single)/challenge", .scopes([.devices, .client]), self.challenge),
        ]
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("cursor", "limit", "status")
        let page = try PageRequest(query)
        let cursor = try page.cursor { Int64($0) }
        let state = query["status"].flatMap(DeviceStatus.State.init(rawValue:))
        if state == nil, query["status"] != nil {
            let rule = "one of \(DeviceStatus.State.allCases.map(\.rawValue).joined(separator: ", "))"
            throw Problem(.invalidRequest, at: .query("status"), expected: rule, got: "another text")
        }
        let app = try await call.requireApp()
        let devices = try await self.store.devices(of: app.id, in: state, after: cursor, limit: page.limit)
        let next = devices.next.map { String($0) }
        return .json(ListBody("devices", of: devices.elements.map(DeviceResponse.init), nextCursor: next))
    }

    /// A search is a POST because a token must not be in a URL, which proxies log.
    private func search(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let search = try DeviceSearch(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        let devices = try await self.store.devices(of: app.id, matching: search)
        return .json(ListBody("devices", of: devices.map(DeviceResponse.init), nextCursor: nil))
    }

    private func register(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let installation = try call.deviceID()
        let request = try DeviceRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        var registration = DeviceRegistration(
            app: app.id,
            installation: installation,
            token: request.token,
            environment: request.environment ?? app.defaultEnvironment,
            profile: request.profile
        )
        registration.access = try call.deviceAccess(to: app)
        try await self.attestations.check(registration, of: app, in: call.request.headers)
        let device = try await self.store.register(registration, now: self.now())
        let isNew = device.createdAt == device.registeredAt
        return .json(DeviceResponse(device), status: isNew ? .created : .ok)
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let device = try await self.store.device(try call.deviceID(), of: app.id)
        guard let device else { throw Problem.unknownDevice }
        return .json(DeviceResponse(device))
    }

    private func remove(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let id = try call.deviceID()
        let access = try call.deviceAccess(to: app)
        // Apps and backends remove many devices; only removals by operators are in the audit log.
        let origin = call.key?.scopes.contains(.admin) == true ? call.auditOrigin() : nil
        let isRemoved = try await AuditOrigin.binding(origin) {
            try await self.store.removeDevice(id, of: app.id, access: access, now: self.now())
        }
        guard isRemoved else { throw Problem.unknownDevice }
        return Response(status: .noContent)
    }

    private func resetSecret(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        guard try await self.store.resetSecret(of: try call.deviceID(), app: app.id) else {
            throw Problem.unknownDevice
        }
        return Response(status: .noContent)
    }

    private func challenge(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        return .json(try self.attestations.challenge(for: try call.deviceID(), of: app.id))
    }
}

extension AuthorizedRequest {
    /// The device ID in the path.
    func deviceID() throws(Problem) -> DeviceID {
        let text = self.parameter("device")
        if let id = text.flatMap(DeviceID.init(rawValue:)) { return id }
        let found = text.map { "\($0.utf8.count) bytes" } ?? "bytes that are not UTF-8"
        throw Problem(.invalidRequest, at: .parameter("device"), expected: DeviceID.rule, got: found)
    }
}

extension Problem {
    static var unknownDevice: Problem {
        Problem(.deviceNotFound, "The app has no device with the ID in the path.")
    }
}

extension DeviceSearch {
    /// Reads the body of a search.
    init(_ body: [UInt8]) throws(Problem) {
        var token: DeviceToken?
        var user: UserID?
        self = try JSONReader.read(body, members: ["token", "userID"]) { reader, name, path throws(JSONSyntaxError) in
            switch name {
            case "token": token = try reader.deviceToken(path)
            case "userID": user = try reader.value(path, UserID.init(validating:))
            default: try reader.skip()
            }
        } finish: { reader in
            switch (token, user) {
            case (let token?, nil): return .token(token)
            case (nil, let user?): return .user(user)
            default:
                if reader.faults.count == 0 {
                    let found = token == nil ? "neither" : "both"
                    reader.faults.add(.root, expected: "either 'token' or 'userID'", got: found)
                }
                return nil
            }
        }
    }
}

/// A registration of a device by an app, or its backend.
struct DeviceRequest: Sendable {
    static let members = [
        "token", "environment", "platform", "appVersion", "systemVersion", "locale", "timeZone", "userID", "tags",
        "topics",
    ]

    var token: DeviceToken
    var environment: APNsEnvironment?
    var profile: DeviceProfile
}

extension DeviceRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var draft = DeviceParser()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader)
        }
    }
}

/// Parses a registration: the body of a request, or a line of an import.
struct DeviceParser {
    private var token: DeviceToken?
    private var environment: APNsEnvironment?
    private var profile = DeviceProfile()

    /// Parses the value of a member of ``DeviceRequest/members``, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "token": self.token = try reader.deviceToken(path)
        case "environment": self.environment = try reader.oneOf(APNsEnvironment.self, path)
        default: try Self.read(member, of: &self.profile, &reader, path)
        }
    }

    /// Records missing members, and values beyond the limits.
    func finish(_ reader: inout JSONReader) -> DeviceRequest? {
        for failure in self.profile.validate() { reader.faults.add(failure) }
        return reader.require(self.token, "token").map {
            DeviceRequest(token: $0, environment: self.environment, profile: self.profile)
        }
    }

    private static func read(
        _ member: String,
        of profile: inout DeviceProfile,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "platform": profile.platform = try reader.string(path).map { DevicePlatform(rawValue: $0.lowercased()) }
        case "appVersion": profile.appVersion = try reader.string(path)
        case "systemVersion": profile.systemVersion = try reader.string(path)
        case "locale": profile.locale = try reader.string(path)
        case "timeZone": profile.timeZone = try reader.string(path)
        case "userID": profile.userID = try reader.value(path, UserID.init(validating:))
        case "tags":
            var tags: [String: String] = [:]
            try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
                tags[name] = try reader.freeText(path)
            }
            profile.tags = tags
        case "topics":
            var topics: Set<String> = []
            try reader.array(path) { reader, index throws(JSONSyntaxError) in
                if let topic = try reader.string(path.element(index)) { topics.insert(topic) }
            }
            profile.topics = topics
        default: try reader.skip()
        }
    }
}
