// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// A clock that stands still until a test advances it.
///
/// Sleepers wake when the time they wait for is reached, the earliest first. Before it advances, a test waits by
/// ``sleepers(atLeast:)`` until the code under test has gone to sleep; so no test ever sleeps itself.
public final class TestClock: Clock, Sendable {
    /// A time of the clock: how much later it is than the clock's beginning.
    public struct Instant: InstantProtocol, Hashable, Sendable {
        /// The distance to the clock's beginning.
        public let offset: Duration

        /// The instant that lies `offset` after the clock's beginning.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// The instant that lies `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }

        /// How much later the other instant is.
        public func duration(to other: Instant) -> Duration { other.offset - self.offset }

        /// Orders instants by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private enum Condition {
        case atLeast(Int, within: Duration?)
        case atMost(Int)
    }

    private struct Observer {
        let condition: Condition
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelled: Set<UInt64> = []
        var observers: [Observer] = []
        var nextID: UInt64 = 0

        func holds(_ condition: Condition) -> Bool {
            switch condition {
            case .atLeast(let count, nil): return self.sleepers.count >= count
            case .atLeast(let count, let duration?):
                let end = self.now.advanced(by: duration)
                return self.sleepers.values.count { $0.deadline <= end } >= count
            case .atMost(let count): return self.sleepers.count <= count
            }
        }

        mutating func takeSatisfiedObservers() -> [Observer] {
            var (satisfied, others): ([Observer], [Observer]) = ([], [])
            for observer in self.observers {
                if self.holds(observer.condition) { satisfied.append(observer) } else { others.append(observer) }
            }
            self.observers = others
            return satisfied
        }
    }

    private enum Registration {
        case asleep([Observer])
        case due
        case cancelled
    }

    private let state = Mutex(State())

    /// Makes a clock that shows its beginning.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant { self.state.withLock { $0.now } }

    /// The smallest step; any step is possible.
    public var minimumResolution: Duration { .zero }

    /// Waits until the clock is advanced to `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: the time to wake at; one that is not later than `now` returns at once.
    ///   - tolerance: ignored.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.register(Sleeper(deadline: deadline, continuation: continuation), id: id)
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    private func register(_ sleeper: Sleeper, id: UInt64) {
        let registration: Registration = self.state.withLock { state in
            if state.cancelled.remove(id) != nil { return .cancelled }
            guard sleeper.deadline > state.now else { return .due }
            state.sleepers[id] = sleeper
            return .asleep(state.takeSatisfiedObservers())
        }
        switch registration {
        case .asleep(let observers): Self.resume(observers)
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: UInt64) {
        let (sleeper, observers) = self.state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            // Cancelled before it fell asleep: it must not do so any more.
            if sleeper == nil { state.cancelled.insert(id) }
            return (sleeper, state.takeSatisfiedObservers())
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        Self.resume(observers)
    }

    /// Moves the clock on and wakes everyone whose time is reached, the earliest first.
    public func advance(by duration: Duration) {
        let (due, observers) = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers.removeValue(forKey: id) }
            let ordered = due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            return (ordered, state.takeSatisfiedObservers())
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
        Self.resume(observers)
    }

    /// Returns as soon as at least `count` sleepers wait for the clock.
    ///
    /// - Parameters:
    ///   - count: how many sleepers there have to be.
    ///   - duration: counts only those that wake when the clock is advanced by so much; `nil` counts all.
    public func sleepers(atLeast count: Int, within duration: Duration? = nil) async {
        await self.wait(for: .atLeast(count, within: duration))
    }

    /// Returns as soon as at most `count` sleepers wait for the clock.
    public func sleepers(atMost count: Int) async {
        await self.wait(for: .atMost(count))
    }

    private func wait(for condition: Condition) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = self.state.withLock { state in
                if state.holds(condition) { return true }
                state.observers.append(Observer(condition: condition, continuation: continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }

    private static func resume(_ observers: [Observer]) {
        for observer in observers { observer.continuation.resume() }
    }
}
