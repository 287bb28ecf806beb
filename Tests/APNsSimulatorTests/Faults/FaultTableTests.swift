// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Faults")
struct FaultTableTests {
    @Test("a fault strikes as often as it was told to, then it is gone")
    func count() throws {
        var table = ActiveFaults()
        let request = try RequestFixture().request
        _ = table.add(SimulatorFault(.drop, count: 2), now: 0)
        let strikes = (0..<3).map { _ in table.strike(request, now: 0) != nil }
        #expect(strikes == [true, true, false])
        #expect(table.isEmpty)
    }

    @Test("a fault for a token strikes no other, upper or lower case")
    func token() throws {
        let fixture = try RequestFixture()
        let token = try #require(fixture.snapshot.token(RequestFixture.app)?.hex)
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.drop, match: .init(token: String(repeating: "0", count: 64))), now: 0)
        let other = table.strike(fixture.request, now: 0)
        #expect(other == nil)
        _ = table.add(SimulatorFault(.silence, match: .init(token: token.uppercased())), now: 0)
        let own = table.strike(fixture.request, now: 0)
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
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.drop, match: .init(bundleID: "com.example.app")), now: 0)
        let struck = table.strike(fixture.request, now: 0)
        #expect((struck != nil) == strikes)
    }

    @Test(
        "a fault for an app strikes its broadcasts, its channel management, and pushes by its certificate",
        arguments: [
            ("/4/broadcasts/apps/com.example.app", nil, true), ("/4/broadcasts/apps/com.example.b", nil, false),
            ("/1/apps/com.example.app/channels", nil, true), ("/1/apps/com.example.app/all-channels", nil, true),
            ("/1/apps/com.example.b/channels", nil, false), ("/3/device/00", "com.example.app", true),
            ("/3/device/00", "com.example.b", false), ("/3/device/00", nil, false),
        ] as [(String, String?, Bool)]
    )
    func withoutTopic(path: String, certificate: String?, strikes: Bool) throws {
        let fixture = try RequestFixture()
        fixture.set(.topic, nil)
        fixture.set(.path, path)
        let trust = ConnectionAuthentication(
            certificate: certificate.map { CertificateTrust(topics: [Array($0.utf8)], environments: [.sandbox]) }
        )
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.drop, match: .init(bundleID: "com.example.app")), now: 0)
        let struck = table.strike(fixture.request, trust: trust, now: 0)
        #expect((struck != nil) == strikes)
    }

    @Test("a rate strikes its share, and the same seed the same requests")
    func rate() throws {
        let request = try RequestFixture().request
        func strikes(seed: UInt64) -> [Bool] {
            var table = ActiveFaults()
            _ = table.add(SimulatorFault(.drop, rate: 0.25, seed: seed), now: 0)
            return (0..<1000).map { _ in table.strike(request, now: 0) != nil }
        }
        let first = strikes(seed: 7)
        #expect(first == strikes(seed: 7))
        #expect(first != strikes(seed: 8))
        #expect((200...300).contains(first.count { $0 }))
    }

    @Test("a rejection keeps the notification from the device; with deliversFirst a lost answer does not")
    func deliversFirst() throws {
        let fixture = try RequestFixture()
        _ = fixture.world.faults.add(
            SimulatorFault(.reject(Rejection(.serviceUnavailable)), count: 1),
            now: fixture.now
        )
        let rejected = fixture.handle()
        #expect(rejected.verdict == nil)
        #expect(rejected.fault == .reject(Rejection(.serviceUnavailable)))
        #expect(fixture.snapshot.notifications.isEmpty)
        _ = fixture.world.faults.add(SimulatorFault(.drop, count: 1, deliversFirst: true), now: fixture.now)
        #expect(fixture.handle().fault == .drop)
        #expect(fixture.snapshot.notifications.count == 1)
    }

    @Test("a fault strikes within its window only, counted from its injection")
    func window() throws {
        let request = try RequestFixture().request
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.drop, window: .init(from: 10, until: 20)), now: 1000)
        let strikes = [1000, 1009.9, 1010, 1019.9, 1020].map { table.strike(request, now: $0) != nil }
        #expect(strikes == [false, false, true, true, false])
        #expect(table.isEmpty)
    }

    @Test("a fault lets as many pass as it is told to, then strikes")
    func skip() throws {
        let request = try RequestFixture().request
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.drop, skip: 2, count: 1), now: 0)
        let strikes = (0..<4).map { _ in table.strike(request, now: 0) != nil }
        #expect(strikes == [false, false, true, false])
    }

    @Test(
        "a fault that holds answers back lets them go when it is taken away, and stays until then although it is spent"
    )
    func hold() throws {
        let request = try RequestFixture().request
        var table = ActiveFaults()
        let id = table.add(SimulatorFault(.hold, count: 1), now: 0).id
        _ = table.add(SimulatorFault(.hold, window: .init(until: 5)), now: 0)
        let holds = (0..<2).compactMap { _ in table.strike(request, now: 0)?.hold }
        #expect(Set(holds).count == 2)
        let late = table.strike(request, now: 5)
        #expect(late == nil)
        #expect(table.faults(now: 5).map(\.struck) == [1, 1])
        #expect(holds.map(\.isReleased) == [false, false])
        let removals = [table.remove(id), table.remove(id)]
        #expect(removals == [true, false])
        #expect(holds.map(\.isReleased) == [true, false])
        table.removeAll()
        #expect(holds.map(\.isReleased) == [true, true])
        #expect(table.isEmpty)
    }

    @Test("of two faults the first that strikes is played, and the second comes when it is spent")
    func order() throws {
        let request = try RequestFixture().request
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.silence, count: 1), now: 0)
        _ = table.add(SimulatorFault(.drop), now: 0)
        let actions = (0..<3).map { _ in table.strike(request, now: 0)?.action }
        #expect(actions == [.silence, .drop, .drop])
    }

    @Test("a fault is taken away by its number, and another time there is none")
    func remove() {
        var table = ActiveFaults()
        let id = table.add(SimulatorFault(.unreachable), now: 0).id
        #expect(!table.isReachable(now: 0))
        let (first, second) = (table.remove(id), table.remove(id))
        #expect(first && !second)
        #expect(table.isReachable(now: 0))
    }

    @Test("the port is unreachable in the window, and it is known when that changes")
    func reachability() {
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.unreachable, window: .init(from: 5, until: 7)), now: 100)
        #expect(table.nextReachabilityChange(after: 100) == 105)
        #expect(table.isReachable(now: 104))
        #expect(!table.isReachable(now: 105))
        #expect(table.nextReachabilityChange(after: 105) == 107)
        #expect(table.isReachable(now: 107))
        #expect(table.nextReachabilityChange(after: 107) == nil)
    }

    @Test("all connection faults that strike a connection take part, and they leave requests alone")
    func plan() throws {
        var table = ActiveFaults()
        _ = table.add(SimulatorFault(.connection(.roundTrip(.constant(50)))), now: 0)
        _ = table.add(SimulatorFault(.connection(.settings(.init(initialWindowSize: 10))), count: 1), now: 0)
        _ = table.add(SimulatorFault(.connection(.settings(.init(maximumConcurrentStreams: 3))), skip: 1), now: 0)
        #expect(table.isEmpty)
        let first = table.plan(now: 0)
        #expect(first.roundTrip == .milliseconds(50))
        #expect(first.settings == SettingsOverride(initialWindowSize: 10))
        let second = table.plan(now: 0)
        #expect(second.settings == SettingsOverride(maximumConcurrentStreams: 3))
    }
}
