// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Population")
struct PopulationTests {
    private func fixture(_ configuration: PopulationConfiguration) throws -> RequestFixture {
        let fixture = try RequestFixture()
        fixture.world = SimulatorState(retainedNotifications: 10, population: configuration, seed: 1)
        fixture.world.keys.add(try ProviderKey(fixture.key))
        fixture.world.events.wantsDeliveries = true
        return fixture
    }

    @Test("every token of a population is recognised without a row")
    func recognised() throws {
        let configuration = try PopulationConfiguration(count: 1_000_000)
        let fixture = try self.fixture(configuration)
        let tokens = PopulationTokens(configuration)
        #expect(tokens.count == 1_000_000)
        for number in [0, 1, 4095, 4096, 999_999] {
            fixture.set(.path, "/3/device/" + tokens[number])
            #expect(fixture.refusal() == nil)
        }
        #expect(fixture.world.devices.count == 0)
        let other = PopulationTokens(try PopulationConfiguration(count: 1_000_001))
        fixture.set(.path, "/3/device/" + other[1_000_000])
        #expect(fixture.refusal() == .badDeviceToken)
    }

    @Test("a token is looked up before anything came to its device", arguments: [0.0, 1.0])
    func lookUp(unregisteredRate: Double) throws {
        let population = try PopulationConfiguration(count: 1000, unregisteredRate: unregisteredRate)
        let simulator = try APNsSimulator(configuration: APNsSimulatorConfiguration(population: population))
        let token = try DeviceToken(hex: PopulationTokens(population)[7])
        let (device, topic, isActive) = try #require(simulator.device(of: token))
        #expect(topic == "com.example.app")
        #expect(isActive == (unregisteredRate == 0))
        #expect(simulator.device(device.id)?.id == device.id)
    }

    @Test("a push gives a device its row; a second finds it")
    func rows() throws {
        let configuration = try PopulationConfiguration(count: 100_000)
        let fixture = try self.fixture(configuration)
        fixture.set(.path, "/3/device/" + PopulationTokens(configuration)[70_000])
        fixture.push(#"{"aps":{"alert":"1"}}"#, id: 1)
        fixture.push(#"{"aps":{"alert":"2"}}"#, id: 2)
        #expect(fixture.world.devices.count == 1)
        fixture.device = DeviceIndex(rawValue: 0)
        #expect(fixture.arrived == [#"{"aps":{"alert":"1"}}"#, #"{"aps":{"alert":"2"}}"#])
        #expect(fixture.snapshot.shown.map(\.body) == ["1", "2"])
        #expect(fixture.snapshot.tokens[RequestFixture.app]?.hex == PopulationTokens(configuration)[70_000])
        #expect(!fixture.world.devices.hasState(fixture.device))
    }

    @Test("the rates say how many tokens were never issued, and how many are gone")
    func rates() throws {
        let configuration = try PopulationConfiguration(count: 100_000, invalidRate: 0.1, unregisteredRate: 0.2)
        let tokens = PopulationTokens(configuration)
        let standings = tokens.indices.map { tokens.standing($0) }
        #expect(abs(standings.count { $0 == .invalid } - 10_000) < 500)
        #expect(abs(standings.count { $0 == .unregistered } - 20_000) < 700)
        let fixture = try self.fixture(configuration)
        let invalid = try #require(standings.firstIndex(of: .invalid))
        fixture.set(.path, "/3/device/" + tokens[invalid])
        #expect(fixture.refusal() == .badDeviceToken)
        let gone = try #require(standings.firstIndex(of: .unregistered))
        fixture.set(.path, "/3/device/" + tokens[gone])
        let since = Int64(RequestFixture.now * 1000)
        #expect(fixture.judge() == .rejected(Rejection(.unregistered, inactiveSince: since)))
    }

    @Test("the same seed has the same tokens, another one others")
    func seeds() throws {
        let one = PopulationTokens(try PopulationConfiguration(count: 100, seed: 5))
        #expect(Array(one) == Array(PopulationTokens(try PopulationConfiguration(count: 100, seed: 5))))
        #expect(one[0] != PopulationTokens(try PopulationConfiguration(count: 100, seed: 6))[0])
    }

    @Test("while the population is offline the newest notification of each device waits")
    func offline() throws {
        let configuration = try PopulationConfiguration(count: 1000, isOnline: false)
        let fixture = try self.fixture(configuration)
        let tokens = PopulationTokens(configuration)
        for (number, text) in [(1, "a"), (2, "b"), (1, "c")] {
            fixture.set(.path, "/3/device/" + tokens[number])
            fixture.push(#"{"aps":{"alert":"\#(text)"}}"#)
        }
        #expect(fixture.deliveries.isEmpty)
        #expect(fixture.world.statistics.stored == 3)
        #expect(fixture.world.statistics.replaced == 1)
        fixture.device = DeviceIndex(rawValue: 0)
        #expect(fixture.snapshot.waitingNotifications == 1)
        fixture.advance(by: 60)
        fixture.world.population?.configuration.isOnline = true
        let next = fixture.world.followPopulation(from: 0, now: fixture.now)
        #expect(next == nil)
        let texts = fixture.deliveries.map { String(decoding: $0.notification.payload, as: UTF8.self) }
        #expect(texts == [#"{"aps":{"alert":"c"}}"#, #"{"aps":{"alert":"b"}}"#])
        #expect(fixture.world.contents.count == 2)
    }

    @Test("a device of the population can be taken offline, and its app be removed, like any other")
    func controlled() throws {
        let configuration = try PopulationConfiguration(count: 1000)
        let fixture = try self.fixture(configuration)
        fixture.set(.path, "/3/device/" + PopulationTokens(configuration)[3])
        fixture.push(#"{"aps":{"alert":"1"}}"#)
        fixture.device = DeviceIndex(rawValue: 0)
        _ = fixture.setOnline(false)
        fixture.push(#"{"aps":{"alert":"2"}}"#)
        #expect(fixture.snapshot.waitingNotifications == 1)
        #expect(fixture.uninstall(RequestFixture.app, after: 1))
        #expect(fixture.judge() == .rejected(Rejection(.unregistered, inactiveSince: 1_760_000_001_000)))
    }

    @Test(
        "a population out of range is refused with the field",
        arguments: [(0, 0, 0, "population"), (1, 1.5, 0, "invalidRate"), (1, 0.6, 0.6, "unregisteredRate")]
    )
    func refused(count: Int, invalid: Double, unregistered: Double, field: String) {
        let failure = #expect(throws: InvalidValueError.self) {
            try PopulationConfiguration(count: count, invalidRate: invalid, unregisteredRate: unregistered)
        }
        #expect(failure?.field == field)
    }
}
