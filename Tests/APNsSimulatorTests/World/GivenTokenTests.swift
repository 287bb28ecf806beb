// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Tokens that are given")
struct GivenTokenTests {
    @Test("a given token stands for its new device, though it was computed for another")
    func computed() throws {
        let fixture = try RequestFixture()
        let key = fixture.world.token(of: fixture.world.devices[fixture.device].origin)
        #expect(fixture.uninstall(RequestFixture.app))
        let other = fixture.world.bootDevice(environment: .sandbox, topics: [])
        fixture.world.install(RequestFixture.app, on: other, token: key, now: fixture.now)
        fixture.push(#"{"n":1}"#)
        #expect(fixture.arrived.isEmpty)
        #expect(fixture.world.snapshot(other).notifications.count == 1)
    }

    @Test("so does one of the population")
    func population() throws {
        let fixture = try RequestFixture()
        let configuration = try PopulationConfiguration(count: 10)
        fixture.world = SimulatorState(retainedNotifications: 10, population: configuration, seed: 1)
        fixture.world.keys.add(try ProviderKey(fixture.key))
        let token = PopulationTokens(configuration).token(4)
        let device = fixture.world.bootDevice(environment: .sandbox, topics: [])
        fixture.world.install(RequestFixture.app, on: device, token: .standard(token), now: fixture.now)
        fixture.set(.path, "/3/device/" + PopulationTokens(configuration)[4])
        fixture.push(#"{"n":1}"#)
        #expect(fixture.world.snapshot(device).notifications.count == 1)
    }
}
