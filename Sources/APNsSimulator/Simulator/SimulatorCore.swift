// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the provider side, the control API and the Swift API share: the world behind one lock, and the feed.
final class SimulatorCore: Sendable {
    let configuration: APNsSimulatorConfiguration
    let rules: ProviderRules
    let feed = DeliveryFeed()
    let connections = ConnectionRegistry()
    private let world: Mutex<World>

    init(configuration: APNsSimulatorConfiguration) {
        self.configuration = configuration
        self.rules = ProviderRules(environment: configuration.environment, switches: configuration.switches)
        self.world = Mutex(World(retainedNotifications: configuration.retainedNotifications))
    }

    /// The time now, in seconds since 1970.
    var now: Double { self.configuration.clock.now().timeIntervalSince1970 }

    /// Runs `body` on the world, alone.
    func withWorld<Value: Sendable, Failure: Error>(
        _ body: (inout World) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try self.world.withLock { world throws(Failure) in try body(&world) }
    }

    /// Takes a request through faults, rules and delivery, and tells the feed.
    func handle(
        _ request: RequestHead,
        _ facts: RequestFacts,
        trust: inout ConnectionTrust,
        apnsID: APNsID,
        now: Double
    ) -> World.Handling {
        let describes = self.feed.hasReaders
        let handling = self.withWorld { world in
            world.handle(
                request,
                facts,
                trust: &trust,
                rules: self.rules,
                apnsID: apnsID,
                now: now,
                describes: describes
            )
        }
        if let delivery = handling.delivery { self.feed.publish(delivery) }
        return handling
    }

    /// What has happened so far.
    var statistics: SimulatorStatistics {
        var statistics = self.withWorld { world in
            var statistics = world.statistics
            statistics.signatureChecks = world.keys.verifications
            return statistics
        }
        statistics.missedDeliveries = self.feed.missed
        (statistics.openConnections, statistics.connections) = self.connections.counts
        return statistics
    }
}
