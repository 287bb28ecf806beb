// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the provider side, the control API and the Swift API share: the world behind one lock, the time, the feeds.
final class SimulatorCore: Sendable {
    let configuration: APNsSimulatorConfiguration
    let rules: ProviderRules
    /// The simulated time.
    let clock: MovableClock
    /// Who goes by it.
    let followers = ClockFollowers()
    /// Lets happen what is due while the simulator runs.
    let runner = TimelineRunner()
    /// The arrivals at all devices.
    let feed: LiveFeed<Delivery>
    /// Whatever happens.
    let events: LiveFeed<SimulatorEvent>
    let connections = ConnectionRegistry()
    private let world: Mutex<World>

    init(configuration: APNsSimulatorConfiguration) {
        self.configuration = configuration
        self.feed = LiveFeed(historyLimit: configuration.feedHistory)
        self.events = LiveFeed(historyLimit: configuration.feedHistory)
        self.clock = MovableClock(configuration.clock)
        self.rules = ProviderRules(environment: configuration.environment, switches: configuration.switches)
        self.world = Mutex(World(configuration))
    }

    /// The simulated time, in seconds since 1970.
    var now: Double { self.clock.now }

    /// When something happens by itself next, in seconds since 1970; infinitely late where nothing does.
    var nextDue: Double { self.withWorld { $0.timeline.nextDue } }

    /// Runs `body` on the world, alone, after everything that is due has happened.
    func withWorld<Value: Sendable, Failure: Error>(
        _ body: (inout World) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try self.withWorld(at: self.clock.now, body)
    }

    /// Runs `body` on the world, alone, with the simulated time, after everything that is due has happened.
    func change<Value: Sendable, Failure: Error>(
        _ body: (inout World, Double) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try self.withWorld { world throws(Failure) in try body(&world, world.now) }
    }

    /// Puts another world in the place of this one.
    ///
    /// What has happened so far is told; then the feeds forget it, and their numbers go on. Keys and teams count on as
    /// well, so that connections look at theirs again. Faults are those of `body`.
    func replaceWorld(_ body: (borrowing World, Double) -> World) {
        self.change { world, now in
            self.tell(world.events.take())
            self.feed.forget()
            self.events.forget()
            var other = body(world, now)
            other.events = world.events
            other.keys.succeed(world.keys)
            other.teams.succeed(world.teams)
            world = other
        }
    }

    /// Lets everything happen that is due.
    func advanceWorld() { self.withWorld { _ in } }

    /// The same, at a time that was looked at before.
    func withWorld<Value: Sendable, Failure: Error>(
        at now: Double,
        _ body: (inout World) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var nextDue = Double.infinity
        defer { self.runner.noteDue(nextDue) }
        return try self.world.withLock { world throws(Failure) in
            world.events.wantsDeliveries = self.feed.hasReaders
            world.events.wantsEvents = self.events.hasReaders
            defer {
                // Told before anybody else changes the world, so that readers hear of everything in its order.
                if !world.events.isEmpty { self.tell(world.events.take()) }
                nextDue = world.timeline.nextDue
            }
            world.advance(to: self.current(now, in: world))
            return try body(&world)
        }
    }

    /// A time that was looked at before, unless the clock was put back since.
    ///
    /// Only one that is well ahead of the world's can be from before that.
    private func current(_ now: Double, in world: borrowing World) -> Double {
        now > world.now + 1 ? min(now, self.clock.now) : now
    }

    private func tell(_ news: (deliveries: [Delivery], events: [SimulatorEvent])) {
        for delivery in news.deliveries { self.feed.publish(delivery) }
        for event in news.events { self.events.publish(event) }
    }

    /// Takes a request through faults, rules and delivery, and tells the feeds.
    func handle(
        _ request: RequestHead,
        _ facts: RequestFacts,
        trust: inout ConnectionTrust,
        apnsID: APNsID,
        now: Double
    ) -> World.Handling {
        self.withWorld(at: now) { world in
            world.handle(request, facts, trust: &trust, rules: self.rules, apnsID: apnsID, now: min(now, world.now))
        }
    }

    /// What has happened so far.
    var statistics: SimulatorStatistics {
        var statistics = self.withWorld { world in
            var statistics = world.statistics
            statistics.signatureChecks = world.keys.verifications
            return statistics
        }
        statistics.missedDeliveries = self.feed.missed
        statistics.missedEvents = self.events.missed
        (statistics.openConnections, statistics.connections) = self.connections.counts
        return statistics
    }

    /// Ends all reading along.
    func finishFeeds() {
        self.feed.finish()
        self.events.finish()
    }
}
