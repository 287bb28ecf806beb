// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("A world in the place of another", .timeLimit(.minutes(20)))
struct ReplacedWorldTests {
    private static let app = RequestFixture.app

    /// How another world comes.
    enum Way: CaseIterable {
        case reset, restore
    }

    private static func simulator() throws -> APNsSimulator {
        var configuration = APNsSimulatorConfiguration()
        configuration.feedHistory = 100
        return try APNsSimulator(configuration: configuration)
    }

    private static func replace(_ way: Way, _ simulator: APNsSimulator) throws {
        switch way {
        case .reset: simulator.reset()
        case .restore: try simulator.restore(Self.simulator().snapshot())
        }
    }

    /// Lets something happen that is told.
    private static func happen(_ simulator: APNsSimulator) throws {
        let device = try simulator.bootDevice(apps: [Self.app])
        _ = try simulator.uninstall(Self.app, from: device.id)
    }

    @Test("the demo key is trusted afterwards", arguments: Way.allCases)
    func demoKey(way: Way) throws {
        let simulator = try Self.simulator()
        simulator.revokeKey(simulator.demoKey.keyID)
        try Self.replace(way, simulator)
        #expect(simulator.keys.map(\.keyID).contains(simulator.demoKey.keyID))
    }

    @Test(
        "the numbers of the feeds go on, what they kept is forgotten, and a reader misses nothing",
        arguments: Way.allCases
    )
    func feeds(way: Way) async throws {
        let simulator = try Self.simulator()
        let stream = simulator.events()
        for _ in 0..<3 { try Self.happen(simulator) }
        let last = try #require(simulator.core.events.history.last?.sequence)
        try Self.replace(way, simulator)
        #expect(simulator.core.events.history.isEmpty)
        try Self.happen(simulator)
        #expect(simulator.core.events.history.first?.sequence == last + 1)
        let end = try #require(simulator.core.events.history.last?.sequence)
        simulator.core.finishFeeds()
        var seen: [UInt64] = []
        for await event in stream { seen.append(event.sequence) }
        #expect(seen == Array(1...end))
    }

    @Test("a connection looks at its key and at its team again", arguments: Way.allCases)
    func revisions(way: Way) throws {
        let simulator = try Self.simulator()
        for _ in 0..<3 { _ = try simulator.makeKey() }
        for _ in 0..<3 { simulator.setBundleIDs([Self.app], ofTeam: "ABCDEFGHIJ") }
        func revisions() -> (keys: Int, teams: Int) {
            simulator.core.withWorld { ($0.keys.revision, $0.teams.revision) }
        }
        let before = revisions()
        try Self.replace(way, simulator)
        #expect(revisions().keys > before.keys)
        #expect(revisions().teams > before.teams)
    }

    @Test("an app that a team has only now needs a new connection; one that it had does not")
    func teams() {
        var old = TeamDirectory()
        for _ in 0..<5 { old.setBundleIDs(["com.example.a"], of: "T") }
        var new = TeamDirectory()
        new.setBundleIDs(["com.example.a", "com.example.b"], of: "T")
        new.succeed(old)
        let bound = old.revision
        #expect(new.standing(of: Array("com.example.a".utf8), team: "T", boundAt: bound) == .allowed)
        #expect(new.standing(of: Array("com.example.b".utf8), team: "T", boundAt: bound) == .addedLater)
        #expect(new.standing(of: Array("com.example.b".utf8), team: "T", boundAt: new.revision) == .allowed)
    }
}
