// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import PushModel

/// The app and the device of `apus canary`, as one server knows them.
struct CanaryTargets: Sendable {
    /// A Live Activity that is started and updated.
    struct Activity: Sendable {
        var type = "ApusCanaryAttributes"
        var attributes: JSONValue = [:]
        var contentState: JSONValue = [:]
    }

    let app: Topic
    let deviceToken: DeviceToken

    /// Starts activities of ``activity``'s type on the device.
    var startToken: DeviceToken?

    /// Updates one activity that runs on the device.
    var activityToken: DeviceToken?
    var activity = Activity()

    /// Whether requests are authenticated by a provider token, not by a certificate.
    var usesKey = true

    /// Whether the app may broadcast.
    var broadcasts = true

    /// The identifier of the channel that the canary has created.
    var channel: String?
}

extension CanaryTargets {
    /// A push to a device token with the headers of its type.
    ///
    /// `changes` replace headers, or remove them where the value is `nil`.
    func push(
        _ type: PushType,
        to token: DeviceToken,
        _ payload: JSONValue,
        changing changes: [(name: StaticString, value: String?)] = []
    ) throws -> APNsRequest {
        let priority = type.rule?.requiredPriority ?? .immediate
        let topic = self.app.rawValue + (type.rule?.topicSuffix ?? "")
        var request = APNsRequest(
            path: APNsPath.device(token),
            headers: [
                ("apns-topic", topic), ("apns-push-type", type.rawValue), ("apns-priority", "\(priority.rawValue)"),
                ("apns-expiration", "0"),
            ],
            body: try payload.json()
        )
        for change in changes {
            request.headers.removeAll { "\($0.name)" == "\(change.name)" }
            if let value = change.value { request.headers.append((change.name, value)) }
        }
        return request
    }

    /// A push that the device receives without showing anything.
    func silentPush(changing changes: [(name: StaticString, value: String?)] = []) throws -> APNsRequest {
        try self.push(.background, to: self.deviceToken, Self.silentPayload, changing: changes)
    }

    /// A silent push with a body that is replaced as it is.
    func silentPush(body: [UInt8]) throws -> APNsRequest {
        var request = try self.silentPush()
        request.body = body
        return request
    }

    /// An alert that says which request of the canary it is.
    func alert(
        _ text: String,
        changing changes: [(name: StaticString, value: String?)] = []
    ) throws -> APNsRequest {
        let payload: JSONValue = ["aps": ["alert": ["title": "Apus canary", "body": .string(text)]]]
        return try self.push(.alert, to: self.deviceToken, payload, changing: changes)
    }

    /// The payload of a Live Activity push.
    func activityPayload(_ event: String, now: Date, adding members: [String: JSONValue] = [:]) -> JSONValue {
        let aps: [String: JSONValue] = [
            "timestamp": Self.seconds(now), "event": .string(event), "content-state": self.activity.contentState,
        ]
        return ["aps": .object(aps.merging(members) { $1 })]
    }

    /// The members of a start in addition to those of every Live Activity push.
    var startMembers: [String: JSONValue] {
        [
            "attributes-type": .string(self.activity.type), "attributes": self.activity.attributes,
            "alert": ["title": "Apus canary", "body": "A Live Activity starts."],
        ]
    }

    static func seconds(_ date: Date) -> JSONValue { .integer(date.millisecondsSince1970 / 1000) }

    private static let silentPayload: JSONValue = ["aps": ["content-available": 1]]
}
