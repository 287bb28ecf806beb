// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Snapshots that are corrupt", .timeLimit(.minutes(20)))
struct CorruptSnapshotTests {
    private static let app = RequestFixture.app

    private static func object(_ world: SimulatorState) throws -> [String: Any] {
        let data = try JSONEncoder().encode(world)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func read(_ document: Any) throws -> SimulatorState {
        try JSONDecoder().decode(SimulatorState.self, from: JSONSerialization.data(withJSONObject: document))
    }

    /// A world in which there is something of everything.
    private static func fixture() throws -> RequestFixture {
        let fixture = try RequestFixture()
        let population = try PopulationConfiguration(count: 50, isOnline: false)
        fixture.world = SimulatorState(retainedNotifications: 3, population: population, seed: 1)
        fixture.world.keys.add(try ProviderKey(fixture.key))
        fixture.world.advance(to: fixture.now)
        for number in [3, 4, 4] { self.push(to: PopulationTokens(population)[number], fixture) }
        for _ in 0..<3 {
            fixture.device = fixture.world.bootDevice(environment: .sandbox, topics: [self.app, self.app + ".voip"])
            let origin = fixture.world.devices[fixture.device].origin
            let token = Hex.text(fixture.world.token(of: origin).bytes)
            for _ in 0..<4 { self.push(to: token, fixture) }
        }
        for id in 1...5 { fixture.pushBackground(id: UInt64(id)) }
        fixture.changeApp { $0.state = .foreground }
        let channel = try fixture.world.createChannel(
            self.app,
            environment: .sandbox,
            policy: .mostRecentMessageStored,
            switches: ChannelOptions(),
            now: fixture.now
        )
        for pushType in [ActivityPushType.token, .channel(channel.id)] {
            let request = ActivityRequest(
                bundleID: self.app,
                attributesType: "Ride",
                contentState: ["n": 0],
                pushType: pushType
            )
            _ = try fixture.world.startActivity(request, on: fixture.device, now: fixture.now)
        }
        _ = fixture.setOnline(false)
        fixture.push(#"{"aps":{"alert":"waits"}}"#, [(.pushType, "alert"), (.priority, "10")])
        let pushed = fixture.device
        try fixture.bootConnected()
        fixture.push(#"{"aps":{"alert":"in flight"}}"#)
        fixture.device = pushed
        fixture.world.teams.setBundleIDs([self.app], of: "ABCDEFGHIJ")
        fixture.world.feedback.add([1, 2, 3], topic: self.app, seconds: 1)
        return fixture
    }

    private static func push(to token: String, _ fixture: RequestFixture) {
        fixture.push(#"{"aps":{"alert":"a"}}"#, [(.path, "/3/device/" + token), (.topic, self.app)])
    }

    /// Uses everything there is.
    private static func use(_ world: SimulatorState, as fixture: RequestFixture) throws {
        fixture.world = world
        fixture.trust = ConnectionAuthentication()
        fixture.world.events.wantsEvents = true
        fixture.now = RequestFixture.now
        fixture.world.advance(to: fixture.now)
        let tokens = fixture.world.population.map { PopulationTokens($0.configuration) }
        for number in [3, 5] { if let tokens, number < tokens.count { self.push(to: tokens[number], fixture) } }
        for row in 0..<fixture.world.devices.count {
            fixture.device = DeviceIndex(rawValue: Int32(row))
            for token in fixture.snapshot.tokens.values {
                self.push(to: token.hex, fixture)
                fixture.pushBackground()
                fixture.set(.pushType, nil)
                fixture.set(.priority, nil)
            }
            let id = fixture.world.devices.id(of: fixture.device)
            for activity in fixture.world.activities.activities(of: id) { _ = LiveActivity(activity).output.bytes }
        }
        fixture.world.population?.configuration.isOnline = true
        var row: Int? = 0
        while let first = row { row = fixture.world.followPopulation(from: first, now: fixture.now) }
        fixture.advance(by: 86_400)
        for row in 0..<min(8, fixture.world.devices.count) {
            fixture.device = DeviceIndex(rawValue: Int32(row))
            _ = fixture.setOnline(false)
            _ = fixture.setOnline(true)
            _ = fixture.uninstall(self.app)
            _ = fixture.snapshot.output(withNotifications: true).bytes
            for event in fixture.snapshot.history { _ = event.output.bytes }
        }
        fixture.advance(by: 40 * 86_400)
        _ = try? JSONEncoder().encode(fixture.world)
    }

    @Test("a document with something else in some place is refused, or is a world that works", arguments: 0..<8)
    func mutated(part: Int) throws {
        let fixture = try Self.fixture()
        let document = try Self.object(fixture.world)
        try Self.use(try Self.read(document), as: fixture)
        var accepted = 0
        for number in 0..<100 {
            let mutated = DocumentMutation.apply(to: document, seed: UInt64(1000 * part + number))
            guard let world = try? Self.read(mutated) else { continue }
            accepted += 1
            try Self.use(world, as: fixture)
        }
        #expect((1..<100).contains(accepted))
    }

    @Test(
        "a time that is none is refused, and nothing changes",
        arguments: ["1e17", "-1", "253402300800", "1e300"]
    )
    func times(now: String) throws {
        let simulator = try APNsSimulator()
        let before = simulator.now
        let text = String(decoding: try simulator.snapshot(), as: UTF8.self)
        let changed = text.replacing(/"now":[0-9.]+/, with: #""now":\#(now)"#)
        #expect(changed != text)
        let error = #expect(throws: APNsSimulatorError.self) { try simulator.restore(Array(changed.utf8)) }
        #expect(error?.code == .invalidSnapshot)
        #expect(simulator.now.timeIntervalSince(before) < 1e9)
    }

    @Test("a simulator that is moved on without end still works")
    func far() throws {
        let simulator = try APNsSimulator()
        let device = try simulator.bootDevice(apps: [Self.app])
        let end = simulator.advance(by: .seconds(Int64.max))
        // A Date counts from 2001, and loses a little on the way.
        #expect(abs(end.timeIntervalSince1970 - SimulatorTimeRange.latest) < 0.001)
        let isGone = try simulator.uninstall(Self.app, from: device.id)
        #expect(isGone)
    }

    @Test(
        "counters, limits and populations out of range, and places that are shared, are refused",
        arguments: [
            ["statistics", "accepted"], ["population", "configuration", "count"],
            ["population", "configuration", "invalidRate"], ["channels", "created"],
        ]
    )
    func refused(path: [String]) throws {
        var document: Any = try Self.object(Self.fixture().world)
        func replaced(_ value: Any, _ path: ArraySlice<String>) throws -> Any {
            guard let name = path.first else { return Int.max }
            var members = try #require(value as? [String: Any])
            members[name] = try replaced(try #require(members[name]), path.dropFirst())
            return members
        }
        document = try replaced(document, path[...])
        #expect(throws: (any Error).self) { try Self.read(document) }
    }

    @Test("limits of the log without end are limits")
    func limits() throws {
        let fixture = try Self.fixture()
        var document = try Self.object(fixture.world)
        var log = try #require(document["log"] as? [String: Any])
        for name in ["limit", "deviceLimit", "contentLimit"] { log[name] = Int.max }
        document["log"] = log
        try Self.use(try Self.read(document), as: fixture)
    }

    @Test("references are counted anew: what a document says of them is not believed", arguments: [0, 1, 99])
    func references(count: Int) throws {
        let fixture = try Self.fixture()
        var document = try Self.object(fixture.world)
        var contents = try #require(document["contents"] as? [String: Any])
        var rows = try #require(contents["rows"] as? [[String: Any]])
        for row in rows.indices where rows[row]["content"] != nil { rows[row]["references"] = count }
        contents["rows"] = rows
        document["contents"] = contents
        let world = try Self.read(document)
        #expect(world.contents.size == fixture.world.contents.size)
        try Self.use(world, as: fixture)
    }

    @Test("hashes of contents are computed anew: what a document says of them is not believed")
    func hashes() throws {
        let fixture = try RequestFixture()
        fixture.push(#"{"aps":{"alert":"a"}}"#)
        var document = try Self.object(fixture.world)
        var contents = try #require(document["contents"] as? [String: Any])
        var rows = try #require(contents["rows"] as? [[String: Any]])
        for row in rows.indices { rows[row]["hash"] = 0 }
        contents["rows"] = rows
        document["contents"] = contents
        fixture.world = try Self.read(document)
        fixture.world.advance(to: fixture.now)
        #expect(fixture.world.contents.count == 1)
        fixture.push(#"{"aps":{"alert":"a"}}"#)
        #expect(fixture.snapshot.notifications.count == 2)
        #expect(fixture.world.contents.count == 1)
    }

    @Test("two devices that share what waits are refused")
    func sharedPlace() throws {
        var world = try Self.fixture().world
        let waiting = try #require((0..<world.devices.count).first { world.devices[Self.index($0)].waiting >= 0 })
        let other = try #require(
            (0..<world.devices.count).first { row in
                row != waiting && world.devices[Self.index(row)].state < 0
            }
        )
        world.devices[Self.index(other)].waiting = world.devices[Self.index(waiting)].waiting
        #expect(throws: SnapshotError.self) { try Self.read(Self.object(world)) }
    }

    private static func index(_ row: Int) -> DeviceIndex { DeviceIndex(rawValue: Int32(row)) }
}
