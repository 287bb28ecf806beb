// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Broadcasts")
struct BroadcastTests {
    @Test("a broadcast reaches every subscribed activity")
    func all() throws {
        let fixture = try ChannelFixture()
        let ids = try (0..<3).map { _ in try fixture.subscribe() }
        #expect(try fixture.broadcast(7) == 200)
        #expect(ids.allSatisfy { fixture.number($0) == 7 })
        #expect(fixture.record?.messages.map(\.delivered) == [3])
        #expect(fixture.request.world.activities[ids[0]]?.timeline.last?.origin == .broadcast)
    }

    @Test("a device that was offline gets the newest stored message only")
    func offline() throws {
        let fixture = try ChannelFixture()
        let id = try fixture.subscribe()
        fixture.setOnline(false)
        try fixture.broadcast(1)
        try fixture.broadcast(2)
        #expect(fixture.number(id) == 0)
        fixture.setOnline(true)
        #expect(fixture.number(id) == 2)
        #expect(fixture.record?.messages.map(\.delivered) == [0, 1])
        fixture.setOnline(false)
        fixture.setOnline(true)
        #expect(fixture.record?.messages.map(\.delivered) == [0, 1], "once only")
    }

    @Test("without storage a device that was offline gets nothing")
    func notStored() throws {
        let fixture = try ChannelFixture(.broadcast, policy: .noMessageStored)
        let id = try fixture.subscribe()
        fixture.setOnline(false)
        #expect(try fixture.broadcast(1, expiresIn: 0) == 200)
        fixture.setOnline(true)
        #expect(fixture.number(id) == 0)
    }

    @Test(
        "a message is stored until it expires, and for 8 hours at most; one with expiration 0 not at all",
        arguments: [
            (0, 1, false), (600, 599, true), (600, 600, false), (86_400, 28_799, true), (86_400, 28_800, false),
        ] as [(Int, Double, Bool)]
    )
    func storage(expiresIn: Int, after: Double, isDelivered: Bool) throws {
        let fixture = try ChannelFixture()
        // What the channel keeps is looked at, not what the device makes of it after so long.
        let id = try fixture.subscribe()
        fixture.setOnline(false)
        #expect(try fixture.broadcast(1, expiresIn: expiresIn) == 200)
        let pending = fixture.record?.pending(for: id, now: fixture.request.now + after)
        #expect((pending != nil) == isDelivered)
    }

    @Test("a newer message that is not stored takes the place of a stored one")
    func newerUnstored() throws {
        let fixture = try ChannelFixture()
        let id = try fixture.subscribe()
        fixture.setOnline(false)
        try fixture.broadcast(1)
        try fixture.broadcast(2, expiresIn: 0)
        fixture.setOnline(true)
        #expect(fixture.number(id) == 0)
    }

    @Test(
        "a new subscriber gets what is broadcast from then on; by switch what is stored, too",
        arguments: [true, false]
    )
    func newSubscriber(getsStored: Bool) throws {
        let fixture = try ChannelFixture()
        fixture.request.switches.channels.newSubscribersGetStored = getsStored
        try fixture.broadcast(1)
        let id = try fixture.subscribe()
        #expect(fixture.number(id) == (getsStored ? 1 : 0))
        try fixture.broadcast(2)
        #expect(fixture.number(id) == 2)
    }

    @Test("deleting a channel does not recall what it stores")
    func delete() throws {
        let fixture = try ChannelFixture()
        let id = try fixture.subscribe()
        fixture.setOnline(false)
        try fixture.broadcast(1)
        let isDeleted = fixture.request.world.deleteChannel(fixture.channel, now: fixture.request.now)
        #expect(isDeleted)
        #expect(try fixture.broadcast(2) == 400)
        #expect(fixture.request.world.channels.channels(ChannelFixture.app, .sandbox).isEmpty)
        fixture.setOnline(true)
        #expect(fixture.number(id) == 1)
        fixture.request.advance(by: 9 * 3600)
        #expect(fixture.record == nil, "it is forgotten once it stores nothing")
    }

    @Test("taking the capability away deletes all channels for good")
    func disabling() throws {
        let fixture = try ChannelFixture()
        _ = try fixture.subscribe()
        fixture.request.world.channels.setEnabled(false, bundleID: ChannelFixture.app, now: fixture.request.now)
        fixture.request.world.channels.setEnabled(true, bundleID: ChannelFixture.app, now: fixture.request.now)
        #expect(try fixture.refusal() == .channelNotRegistered)
        #expect(fixture.request.world.channels.count(ChannelFixture.app, .sandbox) == 0)
    }

    @Test("a channel of the other environment is none")
    func environments() throws {
        let fixture = try ChannelFixture()
        fixture.request.environment = .production
        #expect(try fixture.refusal() == .channelNotRegistered)
    }

    @Test("a broadcast ends activities, which are not subscribed any more")
    func end() throws {
        let fixture = try ChannelFixture()
        let id = try fixture.subscribe()
        fixture.request.body = Array(#"{"aps":{"event":"end","timestamp":1760000000}}"#.utf8)
        #expect(try fixture.refusal() == nil)
        #expect(fixture.request.world.activities[id]?.state == .ended)
        #expect(fixture.record?.subscribers.isEmpty == true)
    }

    @Test("a broadcast that starts is accepted, and every activity says why nothing came of it")
    func start() throws {
        let fixture = try ChannelFixture()
        let id = try fixture.subscribe()
        fixture.request.body = Array(#"{"aps":{"event":"start","timestamp":1760000000}}"#.utf8)
        #expect(try fixture.answer().status == 200)
        #expect(fixture.request.world.activities[id]?.timeline.last?.cause == .startByBroadcast)
    }

    @Test("removing the app ends its activities and their subscriptions")
    func uninstall() throws {
        let fixture = try ChannelFixture()
        let id = try fixture.subscribe()
        #expect(fixture.request.uninstall(ChannelFixture.app))
        #expect(fixture.request.world.activities[id]?.state == .dismissed)
        #expect(fixture.record?.subscribers.isEmpty == true)
    }

    @Test("channels are listed in the order of their creation, each with an identifier of its own in base64")
    func list() throws {
        let fixture = try ChannelFixture(.create)
        let ids = try (0..<20).map { _ in try #require(try fixture.answer().channelID) }
        let listed = fixture.request.world.channels.channels(ChannelFixture.app, .sandbox).map(\.key.id)
        #expect(listed == [fixture.channel.id] + ids)
        #expect(Set(listed).count == 21)
    }

    @Test("stored messages plan nothing; a deleted channel is forgotten once its last one has expired")
    func plans() throws {
        let fixture = try ChannelFixture()
        let planned = fixture.request.world.timeline.count
        for number in 1...5 {
            fixture.request.trust = ConnectionAuthentication()
            #expect(try fixture.broadcast(number) == 200)
        }
        #expect(fixture.request.world.timeline.count == planned)
        fixture.service = .channelManagement
        fixture.request.set(.method, "DELETE")
        fixture.request.set(.path, "/1/apps/\(ChannelFixture.app)/channels")
        #expect(try fixture.answer().status == 204)
        #expect(fixture.record != nil)
        #expect(fixture.request.world.timeline.count == planned + 1)
        fixture.request.advance(by: 3600)
        #expect(fixture.record == nil)
    }
}
