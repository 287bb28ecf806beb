// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Snapshots of the world", .timeLimit(.minutes(20)))
struct WorldSnapshotTests {
    private func copy(_ world: SimulatorState) throws -> SimulatorState {
        try JSONDecoder().decode(SimulatorState.self, from: JSONEncoder().encode(world))
    }

    @Test("a restored world holds what the old one held, and goes on the same way")
    func roundTrip() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app, "com.example.b"])
        fixture.push(#"{"aps":{"alert":"1"}}"#, id: 1, [(.collapseID, "a")])
        fixture.changeApp { $0.completion = .manual }
        fixture.pushBackground(id: 2)
        _ = fixture.setOnline(false)
        fixture.push(
            #"{"aps":{"alert":"3"}}"#,
            id: 3,
            [(.pushType, "alert"), (.expiration, "\(Int(fixture.now) + 90)")]
        )
        let before = fixture.snapshot
        fixture.world = try self.copy(fixture.world)
        fixture.world.advance(to: fixture.now)
        let after = fixture.snapshot
        #expect(after.id == before.id)
        #expect(after.tokens == before.tokens)
        #expect(after.notifications == before.notifications)
        #expect(after.shown == before.shown)
        #expect(after.calls == before.calls)
        #expect(after.waitingNotifications == 1)
        #expect(fixture.refusal() == nil)
        fixture.advance(by: 90)
        #expect(fixture.snapshot.waitingNotifications == 0)
        #expect(fixture.snapshot.calls.last?.missedDeadline == true)
    }

    @Test("devices that are like others, and the population's, are restored with their rows")
    func compact() throws {
        let fixture = try RequestFixture()
        let configuration = try PopulationConfiguration(count: 10_000)
        fixture.world = SimulatorState(retainedNotifications: 10, population: configuration, seed: 1)
        fixture.world.keys.add(try ProviderKey(fixture.key))
        let tokens = PopulationTokens(configuration)
        for (id, number) in [5000, 7, 7].enumerated() {
            fixture.set(.path, "/3/device/" + tokens[number])
            fixture.push(#"{"aps":{"alert":"\#(number)"}}"#, id: UInt64(id))
        }
        fixture.world = try self.copy(fixture.world)
        #expect(fixture.world.devices.count == 2)
        fixture.push(#"{"aps":{"alert":"more"}}"#, id: 3)
        #expect(fixture.world.devices.count == 2)
        fixture.device = DeviceIndex(rawValue: 1)
        #expect(fixture.snapshot.shown.map(\.body) == ["7", "7", "more"])
    }

    @Test("a simulator is restored by its document, with another simulator's devices")
    func simulators() async throws {
        let document = try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [RequestFixture.app])
            return (try simulator.snapshot(), device.id, device.tokens)
        }
        try await withTestSimulator { simulator in
            try simulator.restore(document.0)
            #expect(simulator.device(document.1)?.tokens == document.2)
        }
    }

    @Test(
        "what is no snapshot is refused, and nothing changes",
        arguments: ["", "{}", "[]", #"{"version":1,"now":0,"world":{}}"#]
    )
    func refused(text: String) throws {
        let simulator = try APNsSimulator()
        let device = try simulator.bootDevice(apps: [RequestFixture.app])
        let error = #expect(throws: APNsSimulatorError.self) { try simulator.restore(Array(text.utf8)) }
        #expect(error?.code == .invalidSnapshot)
        #expect(simulator.device(device.id) != nil)
    }

    @Test(
        "a document whose tables do not fit together is refused",
        arguments: ["devices", "registrations", "contents"]
    )
    func torn(table: String) throws {
        let simulator = try APNsSimulator()
        try simulator.bootDevice(apps: [RequestFixture.app])
        var document = try #require(
            try JSONSerialization.jsonObject(with: Data(try simulator.snapshot())) as? [String: Any]
        )
        let empty = try #require(
            try JSONSerialization.jsonObject(with: Data(try APNsSimulator().snapshot())) as? [String: Any]
        )
        var world = try #require(document["world"] as? [String: Any])
        world[table] = try #require(empty["world"] as? [String: Any])[table]
        document["world"] = world
        let json = try JSONSerialization.data(withJSONObject: document)
        if table == "contents" {
            try simulator.restore(Array(json))
        } else {
            #expect(throws: APNsSimulatorError.self) { try simulator.restore(Array(json)) }
        }
    }
}
