// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("World")
struct WorldTests {
    private func inbox(_ fixture: RequestFixture) -> [ReceivedNotification] {
        fixture.snapshot.notifications
    }

    @Test("a device that is online has the notification as it was sent")
    func delivered() throws {
        let fixture = try RequestFixture()
        fixture.set(.apnsID, "eabeae54-14a8-11e5-b60b-1697f925ec7b")
        fixture.set(.priority, "5")
        fixture.set(.collapseID, "スコア")
        let id = APNsID(high: 0xeabe_ae54_14a8_11e5, low: 0xb60b_1697_f925_ec7b)
        _ = fixture.handle(apnsID: id)
        let notification = try #require(self.inbox(fixture).first)
        #expect(notification.bundleID == RequestFixture.app)
        #expect(notification.payload == fixture.body)
        #expect(notification.apnsID == id)
        #expect(
            notification.headers == [
                "apns-topic": "com.example.app", "apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b",
                "apns-priority": "5", "apns-collapse-id": "スコア",
            ]
        )
        let deliveries = fixture.deliveries
        #expect(deliveries.map(\.notification) == [notification])
        #expect(deliveries.map(\.sequence) == [1])
    }

    @Test("a device is booted with 255 topics at most, in the time that these take", .timeLimit(.minutes(20)))
    func manyTopics() throws {
        let fixture = try RequestFixture()
        let topics = (0..<200_000).map { "com.example.a\($0)" }
        let device = fixture.world.bootDevice(environment: .sandbox, topics: topics)
        #expect(fixture.world.snapshot(device).tokens.count == 255)
    }

    @Test("what is refused reaches nobody")
    func refused() throws {
        let fixture = try RequestFixture()
        fixture.set(.topic, "com.example.other")
        _ = fixture.handle()
        #expect(fixture.deliveries.isEmpty)
        #expect(self.inbox(fixture).isEmpty)
        #expect(fixture.world.statistics.rejected == [.deviceTokenNotForTopic: 1])
    }

    @Test("for a device that is offline the newest notification of each app waits")
    func newestWaits() throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        for number in 1...3 {
            fixture.body = Array("{\"n\":\(number)}".utf8)
            #expect(fixture.handle().verdict != nil)
        }
        #expect(self.inbox(fixture).isEmpty)
        #expect(fixture.snapshot.waitingNotifications == 1)
        let deliveries = fixture.setOnline(true, after: 60)
        #expect(deliveries.map(\.notification.payload) == [Array(#"{"n":3}"#.utf8)])
        #expect(self.inbox(fixture).map(\.receivedAt.timeIntervalSince1970) == [fixture.now])
        #expect(fixture.world.statistics.replaced == 2)
    }

    @Test("one that waits for longer than its expiration is never delivered")
    func expires() throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        fixture.set(.expiration, "\(Int(fixture.now) + 60)")
        _ = fixture.handle()
        #expect(fixture.setOnline(true, after: 60).isEmpty)
        #expect(fixture.world.statistics.expired == 1)
    }

    @Test("storage ends after 30 days, whatever the expiration", arguments: [nil, "9999999999"])
    func longestStorage(expiration: String?) throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        fixture.set(.expiration, expiration)
        _ = fixture.handle()
        let month: Double = 30 * 24 * 3600
        #expect(fixture.setOnline(true, after: month).isEmpty)
    }

    @Test("expiration 0 and an expiration in the past are tried once and never stored", arguments: ["0", "1000"])
    func neverStored(expiration: String) throws {
        let fixture = try RequestFixture()
        fixture.set(.expiration, expiration)
        _ = fixture.handle()
        #expect(fixture.deliveries.count == 1)
        _ = fixture.setOnline(false)
        _ = fixture.handle()
        #expect(fixture.setOnline(true).isEmpty)
    }

    @Test("removing an app takes all its tokens and what waited for it; a new installation has a new token")
    func uninstall() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app, RequestFixture.app + ".voip", "com.example.b"])
        _ = fixture.setOnline(false)
        _ = fixture.handle()
        let old = fixture.snapshot.tokens
        #expect(fixture.uninstall(RequestFixture.app))
        #expect(fixture.snapshot.apps.map(\.bundleID) == ["com.example.b"])
        #expect(fixture.snapshot.waitingNotifications == 0)
        #expect(!fixture.uninstall(RequestFixture.app))
        fixture.world.install(RequestFixture.app, on: fixture.device, now: fixture.now)
        let new = fixture.snapshot.tokens
        #expect(new[RequestFixture.app] != old[RequestFixture.app])
        #expect(fixture.refusal() == .unregistered)
    }

    @Test("a device keeps the newest notifications and counts the rest")
    func retention() throws {
        let fixture = try RequestFixture()
        for number in 0..<103 {
            fixture.body = Array("{\"n\":\(number)}".utf8)
            _ = fixture.handle()
        }
        let device = fixture.snapshot
        #expect(device.notifications.count == 100)
        #expect(device.notifications.first?.payload == Array(#"{"n":3}"#.utf8))
        #expect(device.droppedNotifications == 3)
    }

    @Test("a suffix of a push type is no part of the app's name")
    func bundleIDs() {
        #expect(PushTypeRules.bundleID(of: "com.example.app.push-type.liveactivity") == "com.example.app")
        #expect(PushTypeRules.bundleID(of: "com.example.app.voip-ptt") == "com.example.app")
        #expect(PushTypeRules.bundleID(of: "com.example.app") == "com.example.app")
        #expect(PushTypeRules.bundleID(of: ".voip") == ".voip")
    }
}
