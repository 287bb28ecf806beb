// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Store and forward")
struct StorageTests {
    private static let other = "com.example.b"

    @Test("each app of a device has one slot: a newer notification takes the place of the older")
    func oneSlot() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app, Self.other])
        _ = fixture.setOnline(false)
        fixture.push(#"{"n":1}"#, id: 1)
        fixture.push(#"{"n":2}"#, id: 2)
        let token = try #require(fixture.snapshot.token(Self.other)).hex
        fixture.push(#"{"n":3}"#, id: 3, [(.topic, Self.other), (.path, "/3/device/\(token)")])
        #expect(fixture.snapshot.waitingNotifications == 2)
        #expect(fixture.discarded == [.replaced])
        let deliveries = fixture.setOnline(true, after: 1)
        #expect(
            deliveries.map { String(decoding: $0.notification.payload, as: UTF8.self) } == [#"{"n":2}"#, #"{"n":3}"#]
        )
    }

    @Test("a stored notification expires to the second, by itself", arguments: [(59.9, 1), (60, 0)])
    func expiry(seconds: Double, waiting: Int) throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        fixture.push(#"{"n":1}"#, id: 1, [(.expiration, "\(Int(fixture.now) + 60)")])
        fixture.advance(by: seconds)
        #expect(fixture.snapshot.waitingNotifications == waiting)
        #expect(fixture.discarded == (waiting == 0 ? [.expired] : []))
    }

    @Test("without an expiration storage ends after 30 days, by itself")
    func thirtyDays() throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        fixture.push(#"{"n":1}"#)
        fixture.advance(by: 30 * 86_400 - 1)
        #expect(fixture.snapshot.waitingNotifications == 1)
        fixture.advance(by: 1)
        #expect(fixture.snapshot.waitingNotifications == 0)
    }

    @Test("a device that is offline and sent to time and again has one thing planned, and the last one still expires")
    func replacedOften() throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        let planned = fixture.world.timeline.count
        for id in 1...500 {
            fixture.push(#"{"n":1}"#, id: UInt64(id), [(.expiration, "\(Int(fixture.now) + 60 + id)")])
        }
        #expect(fixture.world.timeline.count <= planned + 1)
        fixture.advance(by: 559)
        #expect(fixture.snapshot.waitingNotifications == 1)
        fixture.advance(by: 1)
        #expect(fixture.snapshot.waitingNotifications == 0)
        #expect(fixture.discarded.last == .expired)
    }

    @Test("expiration 0 is never stored, and the reason is told")
    func notStored() throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        fixture.push(#"{"n":1}"#, id: 1, [(.expiration, "0")])
        #expect(fixture.snapshot.waitingNotifications == 0)
        #expect(fixture.discarded == [.notStored])
        #expect(fixture.world.statistics.discarded == [.notStored: 1])
    }

    @Test("a collapse identifier is no storage key: another one replaces as well")
    func collapseIsNoKey() throws {
        let fixture = try RequestFixture()
        _ = fixture.setOnline(false)
        fixture.push(#"{"n":1}"#, id: 1, [(.collapseID, "a")])
        fixture.push(#"{"n":2}"#, id: 2, [(.collapseID, "b")])
        #expect(fixture.snapshot.waitingNotifications == 1)
    }

    // MARK: One in flight

    @Test("while one is in flight the next waits for the acknowledgement, and bursts overwrite one another")
    func inFlight() throws {
        let fixture = try RequestFixture()
        fixture.changeDevice { $0.acknowledgementDelay = 2 }
        let payloads = (1...4).map { "{\"aps\":{\"alert\":\"\($0)\"}}" }
        for (number, payload) in payloads.enumerated() { fixture.push(payload, id: UInt64(number)) }
        #expect(fixture.arrived == [payloads[0]])
        #expect(fixture.discarded == [.replaced, .replaced])
        fixture.advance(by: 2)
        #expect(fixture.arrived == [payloads[0], payloads[3]])
        #expect(fixture.snapshot.waitingNotifications == 0)
    }

    // MARK: Power

    @Test("a device that saves power gets priority 10 at once and 5 in a group", arguments: [true, false])
    func power(isLocked: Bool) throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app, Self.other])
        fixture.changeDevice { if isLocked { $0.isLocked = true } else { $0.isLowPower = true } }
        fixture.push(#"{"n":1}"#, id: 1, [(.priority, "5")])
        let token = try #require(fixture.snapshot.token(Self.other)).hex
        let path = try #require(fixture.fields.first { $0.0 == .path }?.1)
        fixture.advance(by: 100)
        fixture.push(#"{"n":2}"#, id: 2, [(.topic, Self.other), (.path, "/3/device/\(token)")])
        #expect(fixture.arrived.isEmpty)
        fixture.advance(by: 200)
        #expect(fixture.arrived == [#"{"n":1}"#, #"{"n":2}"#])
        fixture.push(#"{"n":3}"#, id: 3, [(.priority, "10"), (.topic, RequestFixture.app), (.path, path)])
        #expect(fixture.arrived.last == #"{"n":3}"#)
    }

    @Test("priority 1 never wakes a device: it comes along when the device is awake for another reason")
    func neverWakes() throws {
        let fixture = try RequestFixture()
        fixture.changeDevice { $0.isLocked = true }
        fixture.push(#"{"n":1}"#, id: 1, [(.priority, "1")])
        fixture.advance(by: 86_400)
        #expect(fixture.arrived.isEmpty)
        fixture.changeDevice { $0.isLocked = false }
        #expect(fixture.arrived == [#"{"n":1}"#])
    }

    @Test("what is urgent takes along what waits")
    func urgentTakesAlong() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app, Self.other])
        fixture.changeDevice { $0.isLocked = true }
        fixture.push(#"{"n":1}"#, id: 1, [(.priority, "1")])
        let token = try #require(fixture.snapshot.token(Self.other)).hex
        fixture.push(
            #"{"n":2}"#,
            id: 2,
            [(.priority, "10"), (.topic, Self.other), (.path, "/3/device/\(token)")]
        )
        #expect(fixture.arrived == [#"{"n":2}"#, #"{"n":1}"#])
    }

    @Test("an older notification that waits never comes after a newer one of its app")
    func newestWins() throws {
        let fixture = try RequestFixture()
        fixture.changeDevice { $0.isLocked = true }
        fixture.push(#"{"aps":{"badge":1}}"#, id: 1, [(.priority, "5")])
        fixture.push(#"{"aps":{"badge":2}}"#, id: 2, [(.priority, "10")])
        fixture.advance(by: 300)
        #expect(fixture.arrived == [#"{"aps":{"badge":2}}"#])
        #expect(fixture.discarded == [.replaced])
        #expect(fixture.snapshot.waitingNotifications == 0)
    }

    // MARK: 410

    @Test("by Apple's schedule 410 comes only some time after a push has reached the device without its app")
    func fuzzyUninstall() throws {
        let fixture = try RequestFixture()
        fixture.world.switches.storage.uninstallNotice = .afterPush
        fixture.world.switches.storage.uninstallDelay = 1000
        #expect(fixture.uninstall(RequestFixture.app))
        #expect(fixture.snapshot.apps.isEmpty)
        fixture.advance(by: 100_000)
        #expect(fixture.refusal() == nil)
        fixture.push(#"{"n":1}"#)
        #expect(fixture.arrived.isEmpty)
        #expect(fixture.discarded == [.appRemoved])
        fixture.advance(by: 499)
        #expect(fixture.refusal() == nil)
        fixture.advance(by: 1001)
        #expect(fixture.refusal() == .unregistered)
    }

    @Test("a device that is offline does not say that its app is gone before it is online")
    func fuzzyUninstallOffline() throws {
        let fixture = try RequestFixture()
        fixture.world.switches.storage.uninstallNotice = .afterPush
        fixture.world.switches.storage.uninstallDelay = 0
        _ = fixture.setOnline(false)
        #expect(fixture.uninstall(RequestFixture.app))
        fixture.push(#"{"n":1}"#)
        fixture.advance(by: 3000)
        #expect(fixture.refusal() == nil)
        _ = fixture.setOnline(true)
        fixture.advance(by: 1)
        #expect(fixture.refusal() == .unregistered)
    }
}
