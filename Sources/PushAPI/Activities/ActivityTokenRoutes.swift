// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The requests of apps on devices: the update tokens and the push-to-start tokens.
struct ActivityTokenRoutes: APIRoutes {
    let store: any ActivityStore & ActivityTypeStore & AppStore
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(
                .put,
                "/v1/apps/{app}/activities/{activity}/tokens/{device}",
                .scopes([.activities, .client]),
                self.tell
            ).onEventLoop,
            APIRoute(
                .delete,
                "/v1/apps/{app}/activities/{activity}/tokens/{device}",
                .scopes([.activities, .client]),
                self.leave
            ).onEventLoop,
            APIRoute(
                .put,
                "/v1/apps/{app}/devices/{device}/start-tokens/{attributesType}",
                .scopes([.activities, .devices, .client]),
                self.keepStartToken
            ).onEventLoop,
        ]
    }

    private func tell(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let installation = try call.deviceID()
        var request = try UpdateTokenRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        let id = try call.activity()
        if let type = try await self.store.activityType(of: request.draft, app: app.id) {
            // Values for an activity that is known already are ignored: only the token counts.
            do {
                try request.draft.hold(to: type)
            } catch {
                if try await self.store.activity(id, of: app.id) == nil { throw error }
            }
        }
        let now = self.now()
        var upload = UpdateTokenRegistration(
            installation: installation,
            token: request.token,
            environment: request.environment ?? app.defaultEnvironment,
            issuedAt: request.issuedAt,
            frequentUpdates: request.frequentUpdates
        )
        upload.access = try call.deviceAccess(to: app)
        upload.joins = app.activityJoins
        let receipt = try await self.store.receive(
            upload,
            for: id,
            of: app.id,
            creating: try request.draft.activity(id, of: app.id, now: now),
            now: now
        )
        guard let receipt else { throw Problem.unknownActivity }
        return try .json(ActivityUpdateResponse(receipt, of: id))
    }

    private func leave(_ call: AuthorizedRequest) async throws -> Response {
        var departure = try self.departure(call)
        let id = try call.activity()
        let app = try await call.requireApp()
        departure.access = try call.deviceAccess(to: app)
        // The response is the same if the device was unknown: the requested state is reached.
        try await self.store.leave(departure, from: id, of: app.id, now: self.now())
        return Response(status: .noContent)
    }

    private func departure(_ call: AuthorizedRequest) throws(Problem) -> ActivityEndReport {
        let query = try call.query("reason", "at")
        let installation = try call.deviceID()
        var faults = ValidationErrors()
        let reason = query["reason"].map(ActivityEndReport.Reason.init) ?? .dismissed
        if reason == nil {
            faults.add(.query("reason"), expected: "one of 'ended', 'dismissed'", got: "another text")
        }
        var time: Date?
        do {
            time = try query["at"].map { text throws(InvalidValueError) in try Timestamp.parse(text) }
        } catch {
            faults.add(error, at: .query("at"))
        }
        try faults.check()
        return ActivityEndReport(installation: installation, reason: reason ?? .dismissed, time: time)
    }

    private func keepStartToken(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let installation = try call.deviceID()
        let type = try call.attributesType()
        let request = try PushToStartTokenRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        let now = self.now()
        try await self.store.keep(
            PushToStartToken(
                app: app.id,
                installation: installation,
                attributesType: type,
                token: request.token,
                environment: request.environment ?? app.defaultEnvironment,
                // A device with a fast clock would make its later tokens invalid.
                issuedAt: min(request.issuedAt ?? now, now),
                supportsChannels: request.channels
            ),
            access: try call.deviceAccess(to: app),
            now: now
        )
        return Response(status: .noContent)
    }
}

/// An app's registration of a device that shows an activity, and of the activity if the app started it.
struct UpdateTokenRequest: Sendable {
    static let members = ["token", "environment", "issuedAt", "frequentUpdates"] + ActivityParser.members
    var token: DeviceToken
    var environment: APNsEnvironment?
    var issuedAt: Date?
    var frequentUpdates: Bool?
    var draft: ActivityParser
}

extension UpdateTokenRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var token: DeviceToken?
        var environment: APNsEnvironment?
        var issuedAt: Date?
        var frequentUpdates: Bool?
        var draft = ActivityParser()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "token": token = try reader.deviceToken(path)
            case "environment": environment = try reader.oneOf(APNsEnvironment.self, path)
            case "issuedAt": issuedAt = try reader.value(path, Timestamp.parse)
            case "frequentUpdates": frequentUpdates = try reader.boolean(path)
            default: try draft.read(member, &reader, path)
            }
        } finish: { reader in
            reader.require(token, "token").map { token in
                UpdateTokenRequest(
                    token: token,
                    environment: environment,
                    issuedAt: issuedAt,
                    frequentUpdates: frequentUpdates,
                    draft: draft
                )
            }
        }
    }
}

/// An app's registration of a push-to-start token of one activity type.
struct PushToStartTokenRequest: Sendable {
    static let members = ["token", "environment", "issuedAt", "channels"]
    var token: DeviceToken
    var environment: APNsEnvironment?
    var issuedAt: Date?

    /// Whether the device supports broadcast channels.
    var channels: Bool
}

extension PushToStartTokenRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var token: DeviceToken?
        var environment: APNsEnvironment?
        var issuedAt: Date?
        var channels: Bool?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "token": token = try reader.deviceToken(path)
            case "environment": environment = try reader.oneOf(APNsEnvironment.self, path)
            case "channels": channels = try reader.boolean(path)
            default: issuedAt = try reader.value(path, Timestamp.parse)
            }
        } finish: { reader in
            reader.require(token, "token").map {
                PushToStartTokenRequest(
                    token: $0,
                    environment: environment,
                    issuedAt: issuedAt,
                    channels: channels ?? false
                )
            }
        }
    }
}
