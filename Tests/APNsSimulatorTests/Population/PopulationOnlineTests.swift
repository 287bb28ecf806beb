// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("A population that is connected and cut off")
struct PopulationOnlineTests {
    private static func fixture(isOnline: Bool, count: Int = 10_000) throws -> RequestFixture {
        let fixture = try RequestFixture()
        let configuration = try PopulationConfiguration(count: count, isOnline: isOnline)
        fixture.world = SimulatorState(retainedNotifications: 10, population: configuration, seed: 1)
        fixture.world.keys.add(try ProviderKey(fixture.key))
        fixture.world.events.wantsDeliveries = true
        fixture.device = DeviceIndex(rawValue: 0)
        return fixture
    }

    /// Sends a notification to one of the population.
    private static func push(_ number: Int, _ fixture: RequestFixture, text: String = "a") throws {
        let tokens = PopulationTokens(try #require(fixture.world.population?.configuration))
        fixture.set(.path, "/3/device/" + tokens[number])
        fixture.push(#"{"aps":{"alert":"\#(text)"}}"#, id: UInt64(number))
    }

    /// Connects the population or cuts it off; returns how many slices that took.
    @discardableResult
    private static func setOnline(_ isOnline: Bool, _ fixture: RequestFixture) -> Int {
        fixture.world.population?.configuration.isOnline = isOnline
        var (row, slices): (Int?, Int) = (0, 0)
        while let first = row {
            row = fixture.world.followPopulation(from: first, now: fixture.now)
            slices += 1
        }
        return slices
    }

    @Test("a device that was looked at or changed otherwise still follows the population", arguments: [true, false])
    func follows(isOnline: Bool) throws {
        let fixture = try Self.fixture(isOnline: !isOnline)
        try Self.push(3, fixture)
        fixture.changeDevice { $0.isLocked = true }
        #expect(fixture.snapshot.isOnline == !isOnline)
        Self.setOnline(isOnline, fixture)
        #expect(fixture.snapshot.isOnline == isOnline)
        #expect(fixture.snapshot.notifications.count == 1)
    }

    @Test("a device that was told to be online or offline stays so", arguments: [true, false])
    func told(isOnline: Bool) throws {
        let fixture = try Self.fixture(isOnline: isOnline)
        try Self.push(3, fixture)
        fixture.changeDevice { $0.isOnline = isOnline }
        Self.setOnline(!isOnline, fixture)
        #expect(fixture.snapshot.isOnline == isOnline)
    }

    @Test("many devices are seen to slice by slice; in between, nothing older comes after something newer")
    func slices() throws {
        let fixture = try Self.fixture(isOnline: false)
        for number in 0..<9000 { try Self.push(number, fixture) }
        fixture.world.population?.configuration.isOnline = true
        let next = fixture.world.followPopulation(from: 0, now: fixture.now)
        #expect(next == 4096)
        #expect(fixture.deliveries.count == 4096)
        try Self.push(8000, fixture, text: "b")
        let payloads = fixture.deliveries.map { String(decoding: $0.notification.payload, as: UTF8.self) }
        #expect(payloads == [#"{"aps":{"alert":"a"}}"#, #"{"aps":{"alert":"b"}}"#])
        #expect(Self.setOnline(true, fixture) == 3)
        #expect(fixture.deliveries.count == 9000 - 4096 - 1)
        #expect(fixture.world.statistics.delivered == 9001)
    }
}
