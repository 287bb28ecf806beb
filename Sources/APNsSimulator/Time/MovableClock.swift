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

/// The simulated time: another clock's, moved on by hand and run at another speed.
///
/// It never goes back, whatever the other clock does, but for ``reset()``, and stands still at the end of the year 9999.
final class MovableClock: Sendable {
    private struct State {
        /// What the other clock showed when ``shown`` was shown.
        var base: Double
        /// The simulated time at ``base``.
        var shown: Double
        var scale: Double = 1
        /// The latest time that was told.
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
        let step = min(max(0, seconds), Moment.latest - self.tell(&state))
        state.shown += step
        return self.tell(&state)
    }

    /// Lets the time run at another speed from now on, of 0 to 1,000,000; 0 lets it stand.
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
        state.latest = max(state.latest, min(state.shown + passed * state.scale, Moment.latest))
        return state.latest
    }
}

/// Where the simulator takes the time from.
///
/// Tests hand in a clock that they move.
public struct SimulatorClock: Sendable {
    /// The time now.
    public var now: @Sendable () -> Date

    /// A clock that answers with this function.
    ///
    /// It is called on event loops and must not block.
    public init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// The system's clock.
    public static let system = SimulatorClock { Date() }
}

/// The times that the simulator knows, in seconds since 1970: those that a calendar can write.
enum Moment {
    /// The end of the year 9999.
    static let latest = Double(FourDigitYears.last)
    /// From 1970 to the end of the year 9999.
    static let range = 0...Self.latest
}

/// The processes that go by the simulated time, and how far each is known to.
///
/// Whoever moves the time waits for them: otherwise what comes next meets a process that goes by the time of before.
final class ClockFollowers: Sendable {
    /// How many followers are remembered at most; the time is moved without those beyond.
    private static let maximumCount = 1000

    private struct Follower {
        /// The change that it goes by.
        var change: Int
        var askedAt: ContinuousClock.Instant
    }

    private struct State {
        var change = 0
        var followers: [String: Follower] = [:]
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]

        /// Forgets who has not asked any more for as long as two questions take.
        mutating func forgetLost(patience: Duration) {
            let now = ContinuousClock.now
            self.followers = self.followers.filter { $0.value.askedAt.duration(to: now) <= patience * 2 }
        }
    }

    /// How long a caller waits at most.
    private let patience: Duration
    private let state = Mutex(State())

    init(patience: Duration = .seconds(1)) {
        self.patience = patience
    }

    /// How often the time was moved by hand or given another speed.
    ///
    /// To be looked at before the time itself: then the time is at least that of this change.
    var change: Int { self.state.withLock { $0.change } }

    /// How many followers count.
    var count: Int { self.state.withLock { $0.followers.count } }

    /// The time was moved, or runs at another speed.
    func noteChange() {
        self.update { $0.change += 1 }
    }

    /// A follower goes by a change, and wants to know of the next one: waits for it, but not for long.
    func follow(_ name: String, by change: Int) async {
        self.update { state in
            state.forgetLost(patience: self.patience)
            guard state.followers[name] != nil || state.followers.count < Self.maximumCount else { return }
            state.followers[name] = Follower(change: change, askedAt: .now)
        }
        _ = await self.wait { $0.change != change }
    }

    /// Waits until every follower that still asks goes by the newest change, but not for long.
    ///
    /// - Returns: whether that is so.
    @discardableResult
    func catchUp() async -> Bool {
        await self.wait { state in
            state.forgetLost(patience: self.patience)
            return state.followers.values.allSatisfy { $0.change == state.change }
        }
    }

    /// Looks at the state now and whenever it has changed, until it is as wanted, the patience is over, or the simulator stops.
    ///
    /// - Returns: whether it is as wanted.
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
