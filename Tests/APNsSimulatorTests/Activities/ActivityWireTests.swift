// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Live Activities on the wire", .timeLimit(.minutes(20)))
struct ActivityWireTests {
    private static let app = "com.example.app"
    private static let topic = "com.example.app.push-type.liveactivity"

    /// One provider token for all requests of a test: it may not change with each.
    private static func token(_ simulator: APNsSimulator) throws -> String {
        try ProviderTokenFactory(simulator.demoKey).token(issuedAt: simulator.now)
    }

    private static func fields(
        _ jwt: String,
        token: DeviceToken,
        priority: String = "5"
    ) -> [(StaticString, String)] {
        PushRequest.fields(
            path: "/3/device/\(token.hex)",
            others: [
                ("authorization", "bearer \(jwt)"), ("apns-topic", Self.topic), ("apns-push-type", "liveactivity"),
                ("apns-priority", priority),
            ]
        )
    }

    private static func aps(_ simulator: APNsSimulator, _ members: String) -> [UInt8] {
        Array(#"{"aps":{"timestamp":\#(Int(simulator.now.timeIntervalSince1970)),\#(members)}}"#.utf8)
    }

    private static func phone(_ simulator: APNsSimulator) throws -> VirtualDeviceID {
        let device = try simulator.bootDevice(apps: [Self.app])
        try simulator.changeApp(Self.app, on: device.id) { $0.state = .foreground }
        return device.id
    }

    private static let request = ActivityRequest(
        bundleID: Self.app,
        attributesType: "RideAttributes",
        contentState: ["n": 0]
    )

    @Test("an activity of the app is updated and ended by its own token; then the token is answered 410 ExpiredToken")
    func life() async throws {
        let time = TestSimulatorClock(Date())
        try await withTestSimulator(clock: time.clock) { simulator in
            let phone = try Self.phone(simulator)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let token = try #require(activity.token)
            #expect(token.bytes.count == 80)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let fields = Self.fields(jwt, token: token)
            let update = Self.aps(simulator, #""event":"update","content-state":{"n":1}"#)
            #expect(try await client.send(fields, body: update).status == "200")
            #expect(simulator.activity(activity.id)?.contentState == ["n": 1])

            let end = Self.aps(simulator, #""event":"end","content-state":{"n":2}"#)
            #expect(try await client.send(fields, body: end).status == "200")
            #expect(simulator.activity(activity.id)?.state == .ended)
            #expect(try await client.send(fields, body: update).status == "200", "accepted, and ignored")
            #expect(simulator.activity(activity.id)?.timeline.last?.cause == .ended)

            simulator.advance(by: .seconds(60))
            let response = try await client.send(fields, body: update)
            #expect(response.status == "410")
            #expect(response.reason == "ExpiredToken")
            let ended = try #require(simulator.activity(activity.id)?.endDate)
            #expect(response.timestamp == Int(((ended.timeIntervalSince1970 + 60) * 1000).rounded()))
            await client.close()
        }
    }

    @Test("an activity's token takes no alerts, and an app's token no Live Activity pushes")
    func otherTopics() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let token = try #require(activity.token)
            let appToken = try #require(simulator.device(phone)?.token(Self.app))
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let alert = try await client.send(
                PushRequest.fields(
                    path: "/3/device/\(token.hex)",
                    others: [("authorization", "bearer \(jwt)"), ("apns-topic", Self.app)]
                ),
                body: PushRequest.body
            )
            #expect(alert.reason == "DeviceTokenNotForTopic")
            let update = Self.aps(simulator, #""event":"update","content-state":{"n":1}"#)
            let push = try await client.send(Self.fields(jwt, token: appToken), body: update)
            #expect(push.reason == "DeviceTokenNotForTopic")
            await client.close()
        }
    }

    @Test("a push starts an activity and wakes the app, which gets the update token after the person's Allow")
    func pushToStart() async throws {
        let time = TestSimulatorClock(Date())
        try await withTestSimulator(clock: time.clock) { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try simulator.issuePushToStartToken("RideAttributes", for: Self.app, on: device.id)
            #expect(token.bytes.count == 80)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let start = Self.aps(
                simulator,
                #""event":"start","attributes-type":"RideAttributes","attributes":{},"content-state":{"n":0},"#
                    + #""alert":{"title":"Ride","body":"started"}"#
            )
            let fields = Self.fields(jwt, token: token, priority: "10")
            #expect(try await client.send(fields, body: start).status == "200")
            let activity = try #require(simulator.activities(on: device.id).first)
            #expect(activity.state == .active)
            #expect(activity.tokenState == .withheld)
            let calls = try #require(simulator.device(device.id)?.calls)
            #expect(calls.map(\.name) == [.pushToStartToken, .activityUpdates])

            try simulator.answerActivityQuestion(allows: true, for: Self.app, on: device.id)
            let updateToken = try #require(simulator.activity(activity.id)?.token)
            #expect(simulator.device(device.id)?.calls.last?.arguments["token"] == updateToken.hex)
            let update = Self.aps(simulator, #""event":"update","content-state":{"n":1}"#)
            let updateFields = Self.fields(jwt, token: updateToken)
            #expect(try await client.send(updateFields, body: update).status == "200")
            #expect(simulator.activity(activity.id)?.contentState == ["n": 1])
            await client.close()
        }
    }

    @Test("a start without an alert is accepted, and the device says why nothing came of it")
    func ignoredStart() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try simulator.issuePushToStartToken("RideAttributes", for: Self.app, on: device.id)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let start = Self.aps(
                simulator,
                #""event":"start","attributes-type":"RideAttributes","attributes":{},"content-state":{"n":0}"#
            )
            #expect(try await client.send(Self.fields(jwt, token: token), body: start).status == "200")
            #expect(simulator.activities(on: device.id).isEmpty)
            #expect(simulator.ignoredActivityPushes(on: device.id).map(\.entry.cause) == [.missingAlert])
            #expect(simulator.statistics.discarded[.activityUnchanged] == 1)
            let event = simulator.device(device.id)?.history.last { $0.kind == .discarded }
            #expect(event?.cause == "missingAlert")
            await client.close()
        }
    }

    @Test("twelve hours of a Live Activity pass in one call")
    func twelveHours() async throws {
        let time = TestSimulatorClock(Date())
        try await withTestSimulator(clock: time.clock) { simulator in
            let phone = try Self.phone(simulator)
            let activity = try simulator.startActivity(Self.request, on: phone)
            simulator.advance(by: .seconds(12 * 3600))
            let gone = try #require(simulator.activity(activity.id))
            #expect(gone.state == .dismissed)
            #expect(gone.endDate == activity.startDate.addingTimeInterval(8 * 3600))
            #expect(gone.dismissalDate == activity.startDate.addingTimeInterval(12 * 3600))
        }
    }

    @Test("an update for a device that is offline waits for it, and is as old as its acceptance")
    func offline() async throws {
        let time = TestSimulatorClock(Date())
        try await withTestSimulator(clock: time.clock) { simulator in
            let phone = try Self.phone(simulator)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let token = try #require(activity.token)
            try simulator.setOnline(false, phone)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let update = Self.aps(simulator, #""event":"update","content-state":{"n":1}"#)
            #expect(try await client.send(Self.fields(jwt, token: token), body: update).status == "200")
            #expect(simulator.activity(activity.id)?.contentState == ["n": 0])
            simulator.advance(by: .seconds(1800))
            try simulator.setOnline(true, phone)
            #expect(simulator.activity(activity.id)?.contentState == ["n": 1])
            await client.close()
        }
    }

    @Test("a reinstalled app has its usual tokens, and none of activities that are gone")
    func reinstall() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            try simulator.issuePushToStartToken("RideAttributes", for: Self.app, on: phone)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let device = try simulator.reinstall(Self.app, on: phone)
            #expect(Set(device.tokens.keys) == [Self.app])
            #expect(simulator.activity(activity.id)?.state == .dismissed)
        }
    }

    @Test("activities and channels survive a snapshot, and go on from there")
    func snapshot() async throws {
        let time = TestSimulatorClock(Date())
        try await withTestSimulator(clock: time.clock) { simulator in
            let phone = try Self.phone(simulator)
            let channel = try simulator.createChannel(for: Self.app, storagePolicy: .mostRecentMessageStored)
            var request = Self.request
            request.pushType = .channel(channel.id)
            let subscribed = try simulator.startActivity(request, on: phone)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let document = try simulator.snapshot()
            try simulator.endActivity(activity.id, dismissal: .immediate)
            simulator.setBroadcastEnabled(false, for: Self.app)
            try simulator.restore(document)
            #expect(simulator.activity(activity.id)?.state == .active)
            #expect(simulator.activity(activity.id)?.token == activity.token)
            #expect(simulator.channel(channel.id, of: Self.app)?.subscribers == [subscribed.id])
            simulator.advance(by: .seconds(8 * 3600))
            #expect(simulator.activity(activity.id)?.state == .ended)
        }
    }

    @Test("dates beyond all years do no harm")
    func extremeDates() async throws {
        try await withTestSimulator { simulator in
            let phone = try Self.phone(simulator)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let token = try #require(activity.token)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let fields = Self.fields(jwt, token: token)
            for body in [
                #""event":"update","content-state":{},"stale-date":1e300,"relevance-score":-1e300"#,
                #""event":"end","dismissal-date":1e300"#,
            ] {
                #expect(try await client.send(fields, body: Self.aps(simulator, body)).status == "200")
            }
            let end = Array(#"{"aps":{"event":"end","timestamp":-1e300}}"#.utf8)
            #expect(try await client.send(fields, body: end).status == "200")
            let shown = try await ControlClient(simulator).send("GET", "/v1/devices/\(phone)/activities")
            #expect(shown.objects("activities").count == 1)
            await client.close()
        }
    }

    @Test("removing the app takes its activities away, and the token is Unregistered")
    func uninstall() async throws {
        var switches = APNsSimulatorOptions()
        switches.storage.uninstallNotice = .immediate
        try await withTestSimulator(switches: switches) { simulator in
            let phone = try Self.phone(simulator)
            let activity = try simulator.startActivity(Self.request, on: phone)
            let token = try #require(activity.token)
            try simulator.uninstall(Self.app, from: phone)
            #expect(simulator.activity(activity.id)?.state == .dismissed)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let update = Self.aps(simulator, #""event":"update","content-state":{"n":1}"#)
            let response = try await client.send(Self.fields(jwt, token: token), body: update)
            #expect(response.reason == "Unregistered")
            await client.close()
        }
    }
}
