// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Activities on a channel", .timeLimit(.minutes(20)))
struct ActivityChannelTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func channel(_ delivery: PushDeliveryMode = .automatic) throws -> ActivityChannel {
        let made = BroadcastChannel(
            app: "com.example.app",
            name: "final",
            environment: .sandbox,
            policy: .noMessage,
            state: .active(try APNsChannelID("dHN0LXNyY2gtY2hubA==")),
            createdAt: Self.now
        )
        return try #require(ActivityChannel(made, delivery: delivery))
    }

    private func activity(_ channel: ActivityChannel?, attributes: String = "{}") throws -> Activity {
        try Activity(
            id: "match",
            app: "com.example.app",
            attributesType: "MatchAttributes",
            attributes: RawJSONObject(json: attributes),
            contentState: RawJSONObject(json: #"{"score":0}"#),
            startAlert: LiveActivityAlert(title: "Final", body: "It begins"),
            channel: channel,
            now: Self.now
        )
    }

    private func token(_ environment: APNsEnvironment, channels: Bool) throws -> PushToStartToken {
        PushToStartToken(
            app: "com.example.app",
            installation: "phone",
            attributesType: "MatchAttributes",
            token: try DeviceToken(bytes: [1]),
            environment: environment,
            issuedAt: Self.now,
            supportsChannels: channels
        )
    }

    @Test("can be bound only to a channel that APNs has, and that is to stay")
    func binding() throws {
        var channel = BroadcastChannel(
            app: "com.example.app",
            name: "final",
            environment: .sandbox,
            policy: .noMessage,
            createdAt: Self.now
        )
        #expect(ActivityChannel(channel) == nil)
        let id = try APNsChannelID("YQ==")
        channel = channel.made(as: id)
        #expect(channel.channelID == id)
        let bound = try #require(ActivityChannel(channel))
        #expect(bound.target.token.bytes == Array("YQ==".utf8))
        #expect(bound.target.environment == .sandbox)
        channel.state = .deleting(id)
        #expect(ActivityChannel(channel) == nil)
    }

    @Test("run until they are ended, or nobody has changed them for 30 days: nobody knows which phones show them")
    func expiry() throws {
        var lifecycle = try self.activity(self.channel()).lifecycle
        #expect(lifecycle.state == .active)
        #expect(lifecycle.expiresAt == nil)
        let later = Self.now.addingTimeInterval(9 * 3600)
        let expiresBefore = lifecycle.expire(isPlanned: false, now: later)
        #expect(!expiresBefore)
        let change = ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"score":1}"#)))
        let isVisible = try lifecycle.apply([change], fixedBytes: 2, now: later)
        #expect(isVisible)
        let month = Double(ActivityLimit.idleSeconds)
        let expiresEarly = lifecycle.expire(isPlanned: false, now: Self.now.addingTimeInterval(month))
        #expect(!expiresEarly)
        let expires = lifecycle.expire(isPlanned: false, now: later.addingTimeInterval(month))
        #expect(expires)
    }

    @Test(
        "that a push starts have those phones subscribe that can, and are known to",
        arguments: [
            (PushDeliveryMode.automatic, APNsEnvironment.sandbox, true, "channel"),
            (.automatic, .sandbox, false, "token"), (.automatic, .production, true, "token"),
            (.devices, .sandbox, true, "token"), (.channel, .sandbox, false, "channel"),
            (.channel, .production, true, "none"),
        ]
    )
    func inputs(delivery: PushDeliveryMode, environment: APNsEnvironment, channels: Bool, input: String) throws {
        let activity = try self.activity(self.channel(delivery))
        let found = activity.input(for: try self.token(environment, channels: channels))
        let payload = found.flatMap { activity.startPayload($0) }.map { String(decoding: $0.bytes, as: UTF8.self) }
        switch found {
        case nil: #expect(input == "none")
        case .token?:
            #expect(input == "token")
            #expect(payload?.contains(#""input-push-token":1"#) == true)
        case .channel?:
            #expect(input == "channel")
            #expect(payload?.contains(#""input-push-channel":"dHN0LXNyY2gtY2hubA==""#) == true)
        }
    }

    @Test("without a channel ask every phone for a token")
    func noChannel() throws {
        let activity = try self.activity(nil)
        #expect(activity.input(for: try self.token(.sandbox, channels: true)) == .token)
        #expect(activity.lifecycle.state == .pending)
    }

    @Test("have the size of the start counted with the identifier of the channel")
    func size() throws {
        let empty = try #require(try self.activity(self.channel()).startPayload(.token)).size
        // As many bytes as the start with a token may have, but not the one with an identifier.
        let text = String(repeating: "a", count: ActivityLimit.bytes - empty - 6)
        _ = try self.activity(nil, attributes: #"{"a":"\#(text)"}"#)
        #expect(throws: ActivityError.self) {
            _ = try self.activity(self.channel(), attributes: #"{"a":"\#(text)"}"#)
        }
    }
}
