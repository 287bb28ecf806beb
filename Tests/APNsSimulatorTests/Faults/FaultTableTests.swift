// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Faults")
struct FaultTableTests {
    @Test("a fault strikes as often as it was told to, then it is gone")
    func count() throws {
        var table = FaultTable()
        let request = try RequestFixture().request
        _ = table.add(SimulatorFault(.drop, count: 2))
        let strikes = (0..<3).map { _ in table.strike(request) != nil }
        #expect(strikes == [true, true, false])
        #expect(table.isEmpty)
    }

    @Test("a fault for a token strikes no other, upper or lower case")
    func token() throws {
        let fixture = try RequestFixture()
        let token = try #require(fixture.snapshot.token(RequestFixture.app)?.hex)
        var table = FaultTable()
        _ = table.add(SimulatorFault(.drop, match: .init(token: String(repeating: "0", count: 64))))
        let other = table.strike(fixture.request)
        #expect(other == nil)
        _ = table.add(SimulatorFault(.silence, match: .init(token: token.uppercased())))
        let own = table.strike(fixture.request)
        #expect(own?.action == .silence)
    }

    @Test(
        "a fault for an app strikes its topics with any suffix, and no app of a longer name",
        arguments: [
            ("com.example.app", true), ("com.example.app.voip", true), ("com.example.app.push-type.widgets", true),
            ("com.example.app.beta", false), ("com.example.application", false), ("com.example", false),
        ]
    )
    func bundleID(topic: String, strikes: Bool) throws {
        let fixture = try RequestFixture()
        fixture.set(.topic, topic)
        var table = FaultTable()
        _ = table.add(SimulatorFault(.drop, match: .init(bundleID: "com.example.app")))
        let struck = table.strike(fixture.request)
        #expect((struck != nil) == strikes)
    }

    @Test("a rate strikes its share, and the same seed the same requests")
    func rate() throws {
        let request = try RequestFixture().request
        func strikes(seed: UInt64) -> [Bool] {
            var table = FaultTable()
            _ = table.add(SimulatorFault(.drop, rate: 0.25, seed: seed))
            return (0..<1000).map { _ in table.strike(request) != nil }
        }
        let first = strikes(seed: 7)
        #expect(first == strikes(seed: 7))
        #expect(first != strikes(seed: 8))
        #expect((200...300).contains(first.count { $0 }))
    }

    @Test("a rejection keeps the notification from the device; with deliversFirst a lost answer does not")
    func deliversFirst() throws {
        let fixture = try RequestFixture()
        _ = fixture.world.faults.add(SimulatorFault(.reject(Rejection(.serviceUnavailable)), count: 1))
        let rejected = fixture.handle()
        #expect(rejected.verdict == nil)
        #expect(rejected.fault == .reject(Rejection(.serviceUnavailable)))
        #expect(fixture.snapshot.notifications.isEmpty)
        _ = fixture.world.faults.add(SimulatorFault(.drop, count: 1, deliversFirst: true))
        #expect(fixture.handle().fault == .drop)
        #expect(fixture.snapshot.notifications.count == 1)
    }
}
