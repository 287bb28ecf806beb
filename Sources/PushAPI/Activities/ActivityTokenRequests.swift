// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an app tells of a phone that shows an activity, and of the activity if it started that itself.
struct ActivityTokenRequest: Sendable {
    static let members = ["token", "environment", "issuedAt", "frequentUpdates"] + ActivityDraft.members

    var token: DeviceToken
    var environment: APNsEnvironment?
    var issuedAt: Date?
    var frequentUpdates: Bool?
    var draft: ActivityDraft

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var token: DeviceToken?
        var environment: APNsEnvironment?
        var issuedAt: Date?
        var frequentUpdates: Bool?
        var draft = ActivityDraft()
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
                ActivityTokenRequest(
                    token: token,
                    environment: environment,
                    issuedAt: issuedAt,
                    frequentUpdates: frequentUpdates,
                    draft: draft
                )
            }
        }
    }

    private init(
        token: DeviceToken,
        environment: APNsEnvironment?,
        issuedAt: Date?,
        frequentUpdates: Bool?,
        draft: ActivityDraft
    ) {
        self.token = token
        self.environment = environment
        self.issuedAt = issuedAt
        self.frequentUpdates = frequentUpdates
        self.draft = draft
    }
}

/// The token with which pushes start activities of a type on a phone, as its app tells it.
struct StartTokenRequest: Sendable {
    static let members = ["token", "environment", "issuedAt", "channels"]

    var token: DeviceToken
    var environment: APNsEnvironment?
    var issuedAt: Date?

    /// Whether the phone can subscribe to broadcast channels.
    var channels: Bool

    /// Reads the body of a request.
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
                StartTokenRequest(
                    token: $0,
                    environment: environment,
                    issuedAt: issuedAt,
                    channels: channels ?? false
                )
            }
        }
    }

    private init(token: DeviceToken, environment: APNsEnvironment?, issuedAt: Date?, channels: Bool) {
        self.token = token
        self.environment = environment
        self.issuedAt = issuedAt
        self.channels = channels
    }
}
