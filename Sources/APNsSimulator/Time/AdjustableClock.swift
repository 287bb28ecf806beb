// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The simulated time: another clock's time, with manual changes and another speed.
///
/// It never goes backward, regardless of the other clock, except in ``reset()``. It stops at the end of the year 9999.
final class AdjustableClock: Sendable {
    private struct State {
        /// The time of the other clock at ``shown``.
        var base: Double
        /// The simulated time at ``base``.
        var shown: Double
        var scale: Double = 1
        /// The latest time that was returned.
        var latest: Double
    }

    /// The highest speed.
    private static let maximumScale: Double = 1_000_000

    private let base: SimulatorClock
    private let state: Mutex<State>

    /// A clock that shows the other's time until it is moved.
    init(_ base: SimulatorClock) {
        let now = base.now().timeIntervalSince1970
        self.base = base
        self.state = Mutex(State(base: now, shown: now, latest: now))
    }

    /// The simulated time, in seconds since 1970.
    var now: Double {
        self.state.withLock { self.tell(&$0) }
    }

    /// How many simulated seconds pass in one of the other clock.
    var scale: Double { self.state.withLock { $0.scale } }

    /// Moves the time on at once; a negative number of seconds changes nothing.
    ///
    /// - Returns: the simulated time afterwards.
    @discardableResult
    func advance(by seconds: Double) -> Double {
        self.state.withLock { self.move(&$0, by: seconds) }
    }

    /// Moves the time on to a moment; one that is past changes nothing.
    func advance(to moment: Double) {
        self.state.withLock { state in _ = self.move(&state, by: moment - self.tell(&state)) }
    }

    private func move(_ state: inout State, by seconds: Double) -> Double {
        let step = min(max(0, seconds), SimulatorTimeRange.latest - self.tell(&state))
        state.shown += step
        return self.tell(&state)
    }

    /// Changes the speed: 0 to 1,000,000; 0 stops the time.
    func setScale(_ scale: Double) {
        self.state.withLock { state in
            state.shown = self.tell(&state)
            state.base = self.base.now().timeIntervalSince1970
            state.scale = min(max(0, scale), Self.maximumScale)
        }
    }

    /// Shows the other's time again, as in the beginning.
    func reset() {
        let now = self.base.now().timeIntervalSince1970
        self.state.withLock { $0 = State(base: now, shown: now, latest: now) }
    }

    private func tell(_ state: inout State) -> Double {
        let passed = self.base.now().timeIntervalSince1970 - state.base
        state.latest = max(state.latest, min(state.shown + passed * state.scale, SimulatorTimeRange.latest))
        return state.latest
    }
}

/// Where the simulator takes the time from.
///
/// Tests hand in a clock that they move.
public struct SimulatorClock: Sendable {
    /// The time now.
    public var now: @Sendable () -> Date

    /// A clock that returns the result of this function.
    ///
    /// It is called on event loops and must not block.
    public init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// The system's clock.
    public static let system = SimulatorClock { Date() }
}

/// The times that the simulator knows, in seconds since 1970: those that a calendar can write.
enum SimulatorTimeRange {
    /// The end of the year 9999.
    static let latest = Double(FourDigitYears.last)
    /// From 1970 to the end of the year 9999.
    static let range = 0...Self.latest
}

/// The processes that use the simulated time, and the last change that each has applied.
///
/// A change of the time waits for them; otherwise the next call could meet a process that still uses the old time.
final class ClockSubscribers: Sendable {
    /// The maximum number of followers; a change does not wait for further ones.
    private static let maximumCount = 1000

    private struct Follower {
        /// The last change that it has applied.
        var change: Int
        var askedAt: ContinuousClock.Instant
    }

    private struct State {
        var change = 0
        var followers: [String: Follower] = [:]
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]

        /// Removes followers that sent no request for twice the timeout.
        mutating func forgetLost(patience: Duration) {
            let now = ContinuousClock.now
            self.followers = self.followers.filter { $0.value.askedAt.duration(to: now) <= patience * 2 }
        }
    }

    /// The timeout of a wait.
    private let patience: Duration
    private let state = Mutex(State())

    init(patience: Duration = .seconds(1)) {
        self.patience = patience
    }

    /// The number of manual changes of the time or its speed.
    ///
    /// Read it before the time itself: then the time includes at least this change.
    var change: Int { self.state.withLock { $0.change } }

    /// The number of followers.
    var count: Int { self.state.withLock { $0.followers.count } }

    /// Records a change of the time or its speed.
    func noteChange() {
        self.update { $0.change += 1 }
    }

    /// Records that a follower has applied a change, and waits for the next one, up to the timeout.
    func follow(_ name: String, by change: Int) async {
        self.update { state in
            state.forgetLost(patience: self.patience)
            guard state.followers[name] != nil || state.followers.count < Self.maximumCount else { return }
            state.followers[name] = Follower(change: change, askedAt: .now)
        }
        _ = await self.wait { $0.change != change }
    }

    /// Waits until every active follower has applied the latest change, up to the timeout.
    ///
    /// - Returns: whether all have applied it.
    @discardableResult
    func catchUp() async -> Bool {
        await self.wait { state in
            state.forgetLost(patience: self.patience)
            return state.followers.values.allSatisfy { $0.change == state.change }
        }
    }

    /// Waits until the state fulfills the condition, the timeout passes, or the simulator stops.
    ///
    /// - Returns: whether the condition is fulfilled.
    private func wait(until isReached: (inout State) -> Bool) async -> Bool {
        let (news, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let waiter = self.state.withLock { state in
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = wake
            return state.nextWaiter
        }
        defer { self.state.withLock { _ = $0.waiters.removeValue(forKey: waiter) } }
        wake.yield()
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.patience) }
                wake.finish()
            }
            defer { group.cancelAll() }
            for await _ in news where self.state.withLock({ isReached(&$0) }) { return true }
            return false
        }
    }

    private func update(_ body: (inout State) -> Void) {
        let waiters = self.state.withLock { state in
            body(&state)
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.yield() }
    }
}
