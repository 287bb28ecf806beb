// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state shared by the provider port, the control API and the Swift API: the world with its lock, time and feeds.
final class SimulatorCore: Sendable {
    let configuration: APNsSimulatorConfiguration
    let rules: ProviderRules
    let clock: AdjustableClock
    /// Who goes by it.
    let followers = ClockSubscribers()
    /// Executes due events while the simulator runs.
    let runner = EventQueueRunner()
    /// The arrivals at all devices.
    let feed: LiveFeed<Delivery>
    let events: LiveFeed<SimulatorEvent>
    let connections = ConnectionRegistry()
    let couriers = CourierConnections()
    private let world: Mutex<SimulatorState>

    init(configuration: APNsSimulatorConfiguration) {
        self.configuration = configuration
        self.feed = LiveFeed(historyLimit: configuration.feedHistory)
        self.events = LiveFeed(historyLimit: configuration.feedHistory)
        self.clock = AdjustableClock(configuration.clock)
        self.rules = ProviderRules(environment: configuration.environment, switches: configuration.switches)
        self.world = Mutex(SimulatorState(configuration))
    }

    /// The simulated time, in seconds since 1970.
    var now: Double { self.clock.now }

    /// The time of the next scheduled event, in seconds since 1970; infinity if nothing is scheduled.
    var nextDue: Double { self.withWorld { $0.timeline.nextDue } }

    /// Runs `body` on the world, alone, after everything that is due has happened.
    func withWorld<Value: Sendable, Failure: Error>(
        _ body: (inout SimulatorState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try self.withWorld(at: self.clock.now, body)
    }

    /// Runs `body` on the world, alone, with the simulated time, after everything that is due has happened.
    func change<Value: Sendable, Failure: Error>(
        _ body: (inout SimulatorState, Double) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try self.withWorld { world throws(Failure) in try body(&world, world.now) }
    }

    /// Replaces the world.
    ///
    /// Pending entries are published first; then the feeds drop their history and continue their numbers. The revisions
    /// of keys and teams increase, so that connections look theirs up again. The faults are those of the result of
    /// `body`.
    func replaceWorld(_ body: (borrowing SimulatorState, Double) -> SimulatorState) {
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

    /// Executes all due events.
    func advanceWorld() { self.withWorld { _ in } }

    /// Calls `body` with the world at this time, after all events due by then.
    func withWorld<Value: Sendable, Failure: Error>(
        at now: Double,
        _ body: (inout SimulatorState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var nextDue = Double.infinity
        defer { self.runner.noteDue(nextDue) }
        return try self.world.withLock { world throws(Failure) in
            world.events.wantsDeliveries = self.feed.hasReaders
            world.events.wantsEvents = self.events.hasReaders
            defer {
                // Publish before the lock is released, so that readers receive all entries in order.
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
    private func current(_ now: Double, in world: borrowing SimulatorState) -> Double {
        now > world.now + 1 ? min(now, self.clock.now) : now
    }

    private func tell(_ news: (deliveries: [Delivery], events: [SimulatorEvent], outputs: [CourierOutput])) {
        for output in news.outputs { self.couriers.send(output) }
        for delivery in news.deliveries { self.feed.publish(delivery) }
        for event in news.events { self.events.publish(event) }
    }

    /// Processes a request: faults, rules, delivery and the feeds.
    func handle(
        _ request: RequestHead,
        _ facts: ParsedRequestHeaders,
        trust: inout ConnectionAuthentication,
        apnsID: APNsID,
        now: Double
    ) -> SimulatorState.Handling {
        self.withWorld(at: now) { world in
            world.handle(request, facts, trust: &trust, rules: self.rules, apnsID: apnsID, now: min(now, world.now))
        }
    }

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

    func finishFeeds() {
        self.feed.finish()
        self.events.finish()
    }
}

/// Connection faults.
extension SimulatorCore {
    /// The plan of a connection that was just accepted.
    func connectionPlan() -> ConnectionFaultPlan {
        let now = self.now
        var plan = self.withWorld { world in
            world.faults.sparesConnections ? ConnectionFaultPlan() : world.faults.plan(now: now)
        }
        plan.roundTrip += self.configuration.roundTrip
        return plan
    }

    /// Whether the provider port is to be open now, and whether no change of that is scheduled.
    var reachability: (isReachable: Bool, isSettled: Bool) {
        let now = self.now
        return self.withWorld { world in
            (world.faults.isReachable(now: now), world.faults.nextReachabilityChange(after: now) == nil)
        }
    }
}

extension SimulatorCore {
    /// Takes a broadcast or a channel management request through faults, rules and delivery.
    func handleChannels(
        _ request: RequestHead,
        _ service: ProviderService,
        trust: inout ConnectionAuthentication,
        now: Double
    ) -> SimulatorState.Handling {
        self.withWorld(at: now) { world in
            world.handleChannels(
                request,
                service,
                trust: &trust,
                rules: ChannelRules(provider: self.rules),
                now: min(now, world.now)
            )
        }
    }
}

extension SimulatorCore {
    /// The result for a notification of the binary gateway.
    enum LegacyHandling: Sendable {
        /// It was accepted; the sender gets no response.
        case taken
        /// It is bad, or a fault says so.
        case refused(LegacyStatus)
        /// A fault cuts the connection.
        case dropped
    }

    /// Takes a notification of the binary gateway through faults, rules and delivery.
    func handle(
        _ notification: BinaryNotification,
        topic: String?,
        rules: LegacyRules,
        apnsID: APNsID
    ) -> LegacyHandling {
        let now = self.now
        let request = RequestHead(notification, topic: topic ?? "")
        return self.withWorld(at: now) { world in
            let now = min(now, world.now)
            world.statistics.requests += 1
            if !world.faults.isEmpty, let fault = world.faults.strike(request, now: now) {
                world.statistics.faulted += 1
                switch fault.action {
                case .reject(let rejection), .garble(let rejection, _):
                    return .refused(LegacyStatus(rejection.reason))
                case .goAway(let reason, _, _): return .refused(LegacyStatus(reason))
                case .drop, .reset: return .dropped
                case .silence: return .taken
                case .delay, .latency, .hold, .settings, .connection, .unreachable:
                    // An accepted notification has no response to delay.
                    break
                }
            }
            switch rules.judge(notification, topic: topic, world: world, now: now) {
            case .refused(let status): return .refused(status)
            case .gone(let since):
                // A notification that has expired is no failure of delivery.
                if notification.expiry.map({ Double($0) > now }) ?? true {
                    let seconds = UInt32(clamping: since / 1000)
                    world.feedback.add(notification.token, topic: topic ?? "", seconds: seconds)
                }
            case .accepted(let index):
                let facts = ParsedRequestHeaders(request, switches: self.configuration.switches)
                world.accept(request, facts, for: index, apnsID: apnsID, now: now)
            }
            return .taken
        }
    }
}

/// Everything that providers and devices connect to: the provider port, the port of channel management, and the legacy
/// and courier ports where they are wanted.
struct SimulatorListeners: Sendable {
    let provider: ProviderServer
    let channels: ProviderServer
    let legacy: LegacyServer?
    let courier: CourierServer?

    /// Binds the ports, starts serving, and injects the configured faults.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    init(
        core: SimulatorCore,
        credentials: SimulatorCredentials,
        group: any EventLoopGroup
    ) async throws(APNsSimulatorError) {
        let configuration = core.configuration
        let tls = try ServerTLS(credentials.authority, host: configuration.host, clock: configuration.clock)
        let now = core.now
        core.withWorld { world in
            for script in configuration.faults {
                for step in script.seededSteps { _ = world.faults.add(step, script: script.name, now: now) }
            }
        }
        let legacy = try await LegacyServer.start(core: core, tls: tls, group: group)
        let courier: CourierServer?
        do throws(APNsSimulatorError) {
            let devices = credentials.deviceAuthority
            courier = try await CourierServer.start(core: core, tls: tls, devices: devices, group: group)
        } catch {
            await legacy?.shutDown()
            throw error
        }
        do throws(APNsSimulatorError) {
            let provider = try await ProviderServer(core: core, tls: tls, group: group)
            do throws(APNsSimulatorError) {
                self.channels = try await ProviderServer(
                    core: core,
                    tls: tls,
                    service: .channelManagement,
                    group: group
                )
            } catch {
                await provider.shutDown()
                throw error
            }
            self.provider = provider
        } catch {
            await courier?.shutDown()
            await legacy?.shutDown()
            throw error
        }
        self.legacy = legacy
        self.courier = courier
    }

    /// The port of the provider API.
    var port: Int { self.provider.port }

    /// Stops accepting connections, and waits until the open ones have completed their requests.
    func shutDown() async {
        async let legacy: Void? = self.legacy?.shutDown()
        async let courier: Void? = self.courier?.shutDown()
        async let channels: Void = self.channels.shutDown()
        await self.provider.shutDown()
        await channels
        await legacy
        await courier
    }
}
