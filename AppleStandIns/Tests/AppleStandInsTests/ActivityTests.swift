// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

@preconcurrency import ActivityKit
import Foundation
import Testing
import VirtualDeviceTesting
import WidgetKit

struct RideAttributes: ActivityAttributes, Sendable {
    struct ContentState: Codable, Hashable, Sendable {
        var fee: Int
        var endsAt: Date?
    }

    var ride: String
}

extension OnDevice {
    private static func request(_ ride: String = "1", _ type: PushType? = .token) throws -> Activity<RideAttributes> {
        try Activity.request(
            attributes: RideAttributes(ride: ride),
            content: ActivityContent(state: .init(fee: 400), staleDate: nil),
            pushType: type
        )
    }

    @Test("an activity starts, changes and ends on the device, and its sequences tell of it")
    func life() async throws {
        try await Self.play { phone, _ in
            let activity = try Self.request()
            #expect(activity.activityState == .active)
            #expect(activity.content.state.fee == 400)
            #expect(Activity<RideAttributes>.activities.map(\.id) == [activity.id])
            let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
            await activity.update(ActivityContent(state: .init(fee: 550, endsAt: date), staleDate: nil))
            #expect(activity.content.state == .init(fee: 550, endsAt: date))
            let shown = try phone.activities[0]["contentState"] as? [String: Any]
            #expect(shown?["fee"] as? Int == 550)
            #expect(shown?["endsAt"] as? Double == 700_000_000)

            let contents = activity.contentUpdates.makeAsyncIterator()
            #expect(await contents.next()?.state.fee == 550)
            let states = activity.activityStateUpdates.makeAsyncIterator()
            #expect(await states.next() == .active)
            await activity.end(nil, dismissalPolicy: .immediate)
            #expect(await states.next() == .ended)
            #expect(await states.next() == .dismissed)
            #expect(await states.next() == nil)
            #expect(Activity<RideAttributes>.activities.isEmpty)
        }
    }

    @Test("a push whose content does not decode changes nothing of what the app reads")
    func undecodable() async throws {
        try await Self.play { phone, _ in
            let activity = try Self.request()
            let tokens = activity.pushTokenUpdates.makeAsyncIterator()
            let token = try #require(await tokens.next()).map { String(format: "%02x", $0) }.joined()
            func send(_ fee: Any, second: Int) throws {
                let time = Int(Date().timeIntervalSince1970) + second
                let aps: [String: Any] = ["timestamp": time, "event": "update", "content-state": ["fee": fee]]
                try phone.stage.send(["aps": aps], to: token, ["pushType": "liveactivity"])
            }
            try send("much", second: 1)
            try await eventually("the push") {
                let shown = try phone.activities[0]["contentState"] as? [String: Any]
                return shown?["fee"] as? String == "much" ? () : nil
            }
            #expect(activity.content.state.fee == 400)
            try send(5, second: 2)
            try await eventually("the next one") { activity.content.state.fee == 5 ? () : nil }
        }
    }

    @Test("its token comes, is another after a rotation, and never comes where none was asked for")
    func tokens() async throws {
        try await Self.play { phone, _ in
            let silent = try Self.request("silent", nil)
            let activity = try Self.request()
            let tokens = activity.pushTokenUpdates.makeAsyncIterator()
            let first = try #require(await tokens.next())
            #expect(activity.pushToken == first)
            try phone.stage.control("POST", "\(phone.path)/activities/\(activity.id)/rotate-token")
            let second = try #require(await tokens.next())
            #expect(first != second)
            #expect(silent.pushToken == nil)
        }
    }

    @Test("what the device refuses is thrown as ActivityKit throws it")
    func refusals() async throws {
        try await Self.play { phone, _ in
            try phone.change(["state": "background"])
            #expect(throws: ActivityAuthorizationError.visibility) { try Self.request() }
            try phone.change(["state": "foreground"])
            for number in 1...5 { _ = try Self.request("\(number)") }
            #expect(throws: ActivityAuthorizationError.targetMaximumExceeded) { try Self.request("6") }
            try phone.stage.control("PATCH", "\(phone.appPath)/live-activities", ["enabled": false])
            #expect(throws: ActivityAuthorizationError.denied) { try Self.request("7") }
            var enabled = ActivityAuthorizationInfo().activityEnablementUpdates.makeAsyncIterator()
            var last = await enabled.next()
            if last == true { last = await enabled.next() }
            #expect(last == false)
            #expect(Activity<RideAttributes>.activities.isEmpty)
            let failure = ["nextRequestFailure": "persistenceFailure"]
            try phone.stage.control("PATCH", "\(phone.appPath)/live-activities", failure)
            #expect(throws: ActivityAuthorizationError.persistenceFailure) { try Self.request("8") }
            // As for every Swift error: the same in each process.
            let codes = [ActivityAuthorizationError.attributesTooLarge, .denied, .reconnectNotPermitted].map(
                \.errorCode
            )
            #expect(codes == [0, 2, 11])
        }
    }

    @Test("a push starts one, which the app is handed once")
    func pushToStart() async throws {
        try await Self.play { phone, _ in
            let startTokens = Activity<RideAttributes>.pushToStartTokenUpdates.makeAsyncIterator()
            let token = try #require(await startTokens.next()).map { String(format: "%02x", $0) }.joined()
            #expect(Activity<RideAttributes>.pushToStartToken != nil)
            try phone.change(["state": "background"])
            let updates = Activity<RideAttributes>.activityUpdates.makeAsyncIterator()
            let aps: [String: Any] = [
                "timestamp": Int(Date().timeIntervalSince1970), "event": "start", "attributes-type": "RideAttributes",
                "attributes": ["ride": "9"], "content-state": ["fee": 1], "alert": ["title": "T", "body": "B"],
            ]
            try phone.stage.send(["aps": aps], to: token, ["pushType": "liveactivity"])
            let activity = try #require(await updates.next())
            #expect(activity.attributes.ride == "9")
            let again = Activity<RideAttributes>.activityUpdates.makeAsyncIterator()
            try phone.change(["state": "foreground"])
            let other = try Self.request("10")
            #expect(await again.next()?.id == other.id)
        }
    }

    @Test("the system before 17.2 has no token to start with")
    func oldSystem() async throws {
        try await Self.play(system: "16.0") { _, _ in
            #expect(throws: ActivityAuthorizationError.unsupported) { try Self.request() }
        }
    }

    @Test("the Lock Screen shows what the widget's configuration makes of the content")
    func lockScreen() async throws {
        try await Self.play { _, _ in
            let configuration = ActivityConfiguration(for: RideAttributes.self) { context in
                VStack {
                    Text("\(context.state.fee) won")
                    if context.isStale { Text("stale") } else { Text(context.attributes.ride) }
                }
            } dynamicIsland: { context in
                DynamicIsland {
                    DynamicIslandExpandedRegion(.leading) { Text("ride") }
                    DynamicIslandExpandedRegion(.trailing) { Text("\(context.state.fee)") }
                } compactLeading: {
                    Text("r")
                } compactTrailing: {
                    Text("\(context.state.fee)")
                } minimal: {
                    Text("r")
                }
            }
            let texts = configuration.texts(of: try Self.request())
            #expect(texts == ["400 won", "1"])
            #expect(configuration.lockScreens == [texts])
        }
    }
}
