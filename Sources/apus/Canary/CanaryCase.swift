// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import PushModel

/// One request of `apus canary`, and why it is sent.
struct CanaryCase: Sendable {
    /// Which server of APNs processes the request.
    enum Service: String, Sendable {
        case pushes
        case channelManagement
    }

    let name: String

    /// The purpose of the request, or the rule that it violates.
    let purpose: String
    let service: Service

    /// The requirement of the case.
    let needs: String

    /// Returns the request for these targets at a time; `nil` if they do not meet the requirement.
    let request: @Sendable (CanaryTargets, Date) throws -> APNsRequest?

    private init(
        _ name: String,
        _ purpose: String,
        service: Service = .pushes,
        needs: String = "a device token",
        _ request: @escaping @Sendable (CanaryTargets, Date) throws -> APNsRequest?
    ) {
        self.name = name
        self.purpose = purpose
        self.service = service
        self.needs = needs
        self.request = request
    }
}

extension CanaryCase {
    /// Every case in the order in which the requests are sent.
    ///
    /// A request that APNs has to reject shows nothing on the device if APNs accepts it.
    static let all: [CanaryCase] = accepted + rejected + activities + channels + unauthenticated

    private static let accepted = [
        CanaryCase("alert", "shows an alert") { targets, _ in
            try targets.alert("1 of 2: an alert.")
        },
        CanaryCase("background", "wakes the app") { targets, _ in try targets.silentPush() },
        CanaryCase("collapse", "shows an alert with a collapse identifier of 64 bytes") { targets, _ in
            let id = String(repeating: "c", count: 64)
            return try targets.alert("2 of 2: an alert with a collapse ID.", changing: [("apns-collapse-id", id)])
        },
        CanaryCase("expired", "expired an hour ago, so it is never stored") { targets, now in
            let expiration = now.addingTimeInterval(-3600).millisecondsSince1970 / 1000
            return try targets.silentPush(changing: [("apns-expiration", "\(expiration)")])
        },
    ]

    private static let rejected = [
        CanaryCase("collapse-id-too-long", "a collapse identifier of 65 bytes") { targets, _ in
            try targets.silentPush(changing: [("apns-collapse-id", String(repeating: "c", count: 65))])
        },
        CanaryCase("background-priority-10", "a background push with priority 10") { targets, _ in
            try targets.silentPush(changing: [("apns-priority", "10")])
        },
        CanaryCase("malformed-expiration", "an expiration that is not a number") { targets, _ in
            try targets.silentPush(changing: [("apns-expiration", "soon")])
        },
        CanaryCase("malformed-topic", "a topic with spaces") { targets, _ in
            try targets.silentPush(changing: [("apns-topic", "not a topic")])
        },
        CanaryCase("other-topic", "the topic of an app that the team does not have") { targets, _ in
            try targets.silentPush(changing: [("apns-topic", "\(targets.app.rawValue).apus-canary")])
        },
        CanaryCase("payload-too-large", "a payload of 4,097 bytes") { targets, _ in
            let frame = #"{"aps":{"content-available":1},"fill":""}"#
            let fill = String(repeating: "x", count: 4097 - frame.utf8.count)
            return try targets.silentPush(body: Array("\(frame.dropLast(2))\(fill)\"}".utf8))
        },
        CanaryCase("payload-not-json", "a payload that is not JSON") { targets, _ in
            try targets.silentPush(body: Array("apus".utf8))
        },
        CanaryCase("unknown-token", "a device token that APNs never issued") { targets, _ in
            let token = try DeviceToken(bytes: [UInt8](repeating: 0, count: 32))
            return try targets.push(.background, to: token, ["aps": ["content-available": 1]])
        },
        CanaryCase("token-not-for-topic", "a Live Activity update to the device token") { targets, now in
            let payload = targets.activityPayload("update", now: now)
            return try targets.push(.liveactivity, to: targets.deviceToken, payload)
        },
    ]

    private static let activities = [
        CanaryCase("activity-start", "starts a Live Activity", needs: "--start-token") { targets, now in
            guard let token = targets.startToken else { return nil }
            let payload = targets.activityPayload("start", now: now, adding: targets.startMembers)
            return try targets.push(.liveactivity, to: token, payload)
        },
        CanaryCase("activity-update", "updates a Live Activity", needs: "--activity-token") { targets, now in
            guard let token = targets.activityToken else { return nil }
            let payload = targets.activityPayload("update", now: now)
            return try targets.push(.liveactivity, to: token, payload, changing: [("apns-priority", "5")])
        },
        CanaryCase("activity-end", "ends a Live Activity and removes it", needs: "--activity-token") { targets, now in
            guard let token = targets.activityToken else { return nil }
            let members = ["dismissal-date": CanaryTargets.seconds(now)]
            let payload = targets.activityPayload("end", now: now, adding: members)
            return try targets.push(.liveactivity, to: token, payload)
        },
    ]

    private static let channels = [
        CanaryCase(
            "channel-create",
            "creates a broadcast channel",
            service: .channelManagement,
            needs: "an app that may broadcast"
        ) { targets, _ in
            targets.broadcasts ? .createChannel(.noMessage, of: targets.app) : nil
        },
        CanaryCase("broadcast", "broadcasts an update to the channel", needs: "a channel") { targets, now in
            guard let channel = targets.channel else { return nil }
            return APNsRequest(
                path: APNsPath.broadcast(bundleID: targets.app.rawValue),
                headers: [
                    ("apns-channel-id", channel), ("apns-push-type", PushType.liveactivity.rawValue),
                    ("apns-priority", "5"), ("apns-expiration", "0"),
                ],
                body: try targets.activityPayload("update", now: now).json()
            )
        },
        CanaryCase(
            "channel-delete",
            "deletes the channel",
            service: .channelManagement,
            needs: "a channel"
        ) { targets, _ in
            targets.channel.map { .deleteChannel($0, of: targets.app) }
        },
    ]

    /// Last, because APNs may treat the connection differently afterwards.
    private static let unauthenticated = [
        CanaryCase("no-provider-token", "a push without a provider token", needs: "a provider key") { targets, _ in
            guard targets.usesKey else { return nil }
            var request = try targets.silentPush()
            request.carriesProviderToken = false
            return request
        }
    ]
}
