// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ServiceLifecycle
import Synchronization

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

    private let patience: Duration
    private let state = Mutex(State())

    /// Nobody goes by the time yet.
    ///
    /// - Parameter patience: how long anybody waits here at most.
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
