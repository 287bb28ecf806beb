// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// A clock that stands still until a test advances it.
///
/// Tasks that sleep on it wake when their deadline is reached, the earliest first. A test either waits for the timer that
/// it is about to fire (``fire(timerDueIn:count:alsoAdvancing:)``), or lets time pass until the code under test has done what the test
/// waits for (``pass(upTo:alsoAdvancing:until:)``). Both end when the test is cancelled, for example at its time limit.
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
        /// So many timers fire when the clock is advanced by the duration.
        case timers(Int, within: Duration)
        /// So many timers are due at exactly this instant.
        case timersAt(Instant, Int)
        /// No more timers than these fire when the clock is advanced by the duration; without one, no more sleep at all.
        case atMost(Int, within: Duration?)
    }

    private struct Observer {
        let condition: Condition
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelled: Set<UInt64> = []
        var observers: [UInt64: Observer] = [:]
        var nextID: UInt64 = 0

        func holds(_ condition: Condition) -> Bool {
            switch condition {
            case .timers(let count, let duration):
                let end = self.now.advanced(by: duration)
                return self.sleepers.values.count { $0.deadline <= end } >= count
            case .timersAt(let instant, let count):
                return self.sleepers.values.count { $0.deadline == instant } >= count
            case .atMost(let count, let duration):
                let end = duration.map { self.now.advanced(by: $0) }
                return self.sleepers.values.count { timer in end.map { timer.deadline <= $0 } ?? true } <= count
            }
        }

        mutating func takeSatisfiedObservers() -> [Observer] {
            let satisfied = self.observers.filter { self.holds($0.value.condition) }
            for id in satisfied.keys { self.observers.removeValue(forKey: id) }
            return Array(satisfied.values)
        }

        mutating func makeID() -> UInt64 {
            self.nextID += 1
            return self.nextID
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
        let id = self.state.withLock { $0.makeID() }
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
        let (sleeper, observer, observers) = self.state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            let observer = state.observers.removeValue(forKey: id)
            // Cancelled before it was registered: it must not be registered any more.
            if sleeper == nil, observer == nil { state.cancelled.insert(id) }
            return (sleeper, observer, state.takeSatisfiedObservers())
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        observer?.continuation.resume(throwing: CancellationError())
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

    /// Returns as soon as `count` tasks sleep until exactly `duration` after the time that the clock shows.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func timer(dueIn duration: Duration, count: Int = 1) async throws {
        try await self.wait(for: .timersAt(self.now.advanced(by: duration), count))
    }

    /// Returns as soon as `count` tasks sleep until at most `duration` after the time that the clock shows.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func timers(_ count: Int = 1, dueWithin duration: Duration) async throws {
        try await self.wait(for: .timers(count, within: duration))
    }

    /// Returns as soon as at most `count` tasks sleep until at most `duration` after the time that the clock shows.
    ///
    /// - Parameters:
    ///   - count: the number of timers that may be left.
    ///   - duration: later timers are not counted; `nil` counts all.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func timers(atMost count: Int, dueWithin duration: Duration? = nil) async throws {
        try await self.wait(for: .atMost(count, within: duration))
    }

    /// Waits for the timer that is due in exactly `duration`, and advances the clock to it.
    ///
    /// - Parameters:
    ///   - duration: the time left until the timer fires.
    ///   - count: the number of timers to wait for that are due at this instant.
    ///   - now: a date source that is advanced along with the clock.
    /// - Throws: `CancellationError` when the task is cancelled; nothing is advanced then.
    public func fire(
        timerDueIn duration: Duration,
        count: Int = 1,
        alsoAdvancing now: TestDateSource? = nil
    ) async throws {
        try await self.timer(dueIn: duration, count: count)
        now?.advance(by: duration)
        self.advance(by: duration)
    }

    /// Advances the clock from one timer to the next until `body` has returned.
    ///
    /// Use it where the number of timers, or of steps, depends on how fast the machine is. A timer that is due later than
    /// `limit` after the clock's time at the call does not fire.
    ///
    /// - Parameters:
    ///   - limit: how far the clock is advanced at most.
    ///   - now: a date source that is advanced along with the clock.
    ///   - body: waits for what the code under test does.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func pass<Value: Sendable>(
        upTo limit: Duration,
        alsoAdvancing now: TestDateSource? = nil,
        until body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = self.now.advanced(by: limit)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while true {
                    try await self.wait(for: .timers(1, within: self.now.duration(to: end)))
                    guard let next = self.state.withLock({ $0.sleepers.values.map(\.deadline).min() }), next <= end
                    else { continue }
                    let step = self.now.duration(to: next)
                    now?.advance(by: step)
                    self.advance(by: step)
                    await Task.yield()
                }
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    private func wait(for condition: Condition) async throws {
        let id = self.state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = self.state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if state.holds(condition) { return .success(()) }
                    state.observers[id] = Observer(condition: condition, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            self.cancel(id)
        }
    }

    private static func resume(_ observers: [Observer]) {
        for observer in observers { observer.continuation.resume() }
    }
}
