// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule
import Dispatch
import PushStore
import Synchronization

/// The connections of a store: a call gets exclusive use of one, or waits for one in order, with a timeout.
///
/// Each connection blocks a separate thread, because libpq is synchronous, and not one of Swift's threads. A call
/// changes threads twice for that, which costs less than a hundredth of a round trip and a commit.
final class ConnectionPool: Sendable {
    private struct Waiter: Sendable {
        let number: UInt64
        let isScan: Bool
        let deadline: ContinuousClock.Instant
        let resume: @Sendable (Result<ConnectionSlot, any Error>) -> Void
    }

    private struct State {
        /// Half of the connections, so that short calls always find one.
        let maximumScans: Int
        var idle: [ConnectionSlot]
        var waiting: Deque<Waiter> = []
        var scans = 0
        var isSweeping = false
        var isClosed = false

        mutating func takeSlot(isScan: Bool) -> ConnectionSlot? {
            guard !isScan || self.scans < self.maximumScans, let slot = self.idle.popLast() else { return nil }
            if isScan { self.scans += 1 }
            return slot
        }

        /// The first of those who wait for a connection and may have one.
        mutating func takeWaiter() -> Waiter? {
            guard let place = self.waiting.firstIndex(where: { !$0.isScan || self.scans < self.maximumScans }) else {
                return nil
            }
            let waiter = self.waiting.remove(at: place)
            if waiter.isScan { self.scans += 1 }
            return waiter
        }
    }

    let place: String
    private let timeout: Duration
    private let lastNumber = Atomic<UInt64>(0)
    private let state: Mutex<State>
    private let timer = DispatchQueue(label: "apus.store.timer")

    init(session: PostgresConnection.Session) {
        let count = max(1, session.configuration.connections)
        self.place = session.parameters.place
        self.timeout = session.configuration.poolTimeout
        let reconnection = SharedReconnectState(session: session)
        let slots = (1...count).map { ConnectionSlot(reconnection: reconnection, label: "apus.store.\($0)") }
        self.state = Mutex(State(maximumScans: max(1, count / 2), idle: slots.reversed()))
    }

    /// Runs a body on the thread of a connection.
    ///
    /// The body may run several times, each time from the beginning.
    /// - Throws: the error of the body, or why there is no connection.
    func run<Value: Sendable>(
        _ policy: ConnectionSlot.Policy,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        if policy.isCancellable { try Task.checkCancellation() }
        let slot = try await self.acquire(isScan: policy.isScan, isCancellable: policy.isCancellable)
        defer { self.release(slot, isScan: policy.isScan) }
        return try await slot.run(policy, body)
    }

    /// Refuses all further calls and closes the connections, those in use after their calls.
    ///
    /// - Returns: whether the pool was open before.
    func close() -> Bool {
        let (wasOpen, idle, waiting) = self.state.withLock { state in
            defer { (state.isClosed, state.idle, state.waiting) = (true, [], []) }
            return (!state.isClosed, state.idle, state.waiting)
        }
        for slot in idle { slot.close() }
        for waiter in waiting { waiter.resume(.failure(self.closed)) }
        return wasOpen
    }

    private var closed: StoreError { StoreError(code: .unavailable, message: "The store at \(self.place) is closed.") }

    private func acquire(isScan: Bool, isCancellable: Bool) async throws -> ConnectionSlot {
        let number = self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.enqueue(number, isScan: isScan) { continuation.resume(with: $0) }
                // The task may have been cancelled before it was queued.
                if isCancellable, Task.isCancelled { self.remove(number) }
            }
        } onCancel: {
            if isCancellable { self.remove(number) }
        }
    }

    private func enqueue(
        _ number: UInt64,
        isScan: Bool,
        _ resume: @escaping @Sendable (Result<ConnectionSlot, any Error>) -> Void
    ) {
        let deadline = ContinuousClock.now + self.timeout
        let (result, sweeps) = self.state.withLock { state -> (Result<ConnectionSlot, any Error>?, Bool) in
            if state.isClosed { return (.failure(self.closed), false) }
            if let slot = state.takeSlot(isScan: isScan) { return (.success(slot), false) }
            state.waiting.append(Waiter(number: number, isScan: isScan, deadline: deadline, resume: resume))
            defer { state.isSweeping = true }
            return (nil, !state.isSweeping)
        }
        if let result { resume(result) }
        if sweeps { self.sweep(after: self.timeout) }
    }

    private func release(_ slot: ConnectionSlot, isScan: Bool) {
        let (next, isClosed) = self.state.withLock { state -> (Waiter?, Bool) in
            if isScan { state.scans -= 1 }
            if let waiter = state.takeWaiter() { return (waiter, false) }
            // The one that was used last is taken first, so that few connections do most of the work.
            if !state.isClosed { state.idle.append(slot) }
            return (nil, state.isClosed)
        }
        next?.resume(.success(slot))
        if isClosed { slot.close() }
    }

    private func remove(_ number: UInt64) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: place)
        }
        waiter?.resume(.failure(CancellationError()))
    }

    /// Looks later for calls that have waited too long; all wait equally long, so these are the first ones.
    private func sweep(after delay: Duration) {
        let milliseconds = Int(min(max(0, delay.wholeMilliseconds), Int64(Int32.max))) + 1
        self.timer.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            self?.refuseLate(now: .now)
        }
    }

    private func refuseLate(now: ContinuousClock.Instant) {
        let (late, next) = self.state.withLock { state in
            let late = Array(state.waiting.prefix { $0.deadline <= now })
            state.waiting.removeFirst(late.count)
            state.isSweeping = !state.waiting.isEmpty
            return (late, state.waiting.first?.deadline)
        }
        if let next { self.sweep(after: next - now) }
        let message = "All connections to \(self.place) were busy for \(self.timeout). Allow more connections."
        for waiter in late { waiter.resume(.failure(StoreError(code: .unavailable, message: message))) }
    }
}

/// Opens the connections of a store, which share the state of a server that is unreachable.
final class SharedReconnectState: Sendable {
    let session: PostgresConnection.Session
    private let state = Mutex(ReconnectPolicy())

    init(session: PostgresConnection.Session) {
        self.session = session
    }

    /// Opens a connection, unless it is too early for another attempt.
    ///
    /// - Throws: the error of `PostgresConnection.open`, now or at the last attempt.
    func connect() throws -> PostgresConnection {
        if let refusal = self.state.withLock({ $0.refusal(now: .now) }) { throw refusal }
        do {
            let connection = try PostgresConnection.open(self.session)
            self.state.withLock { $0.succeed() }
            return connection
        } catch {
            self.state.withLock { $0.fail(error, now: .now) }
            throw error
        }
    }
}

/// Decides when to retry an unreachable database.
///
/// A pure state machine. Until the next attempt, calls fail immediately with the last error: they do not wait for an
/// unreachable server, and a server that restarts does not receive all attempts at once.
struct ReconnectPolicy: Sendable {
    static let firstDelay = Duration.milliseconds(50)

    /// The longest pause between attempts: a process is back within a second of its database.
    static let longestDelay = Duration.seconds(1)

    private var failures = 0
    private var notBefore: ContinuousClock.Instant?
    private var failure: (any Error)?

    /// The error of a call before the next attempt; `nil` if an attempt may be made.
    func refusal(now: ContinuousClock.Instant) -> (any Error)? {
        self.wait(now: now) > .zero ? self.failure : nil
    }

    mutating func succeed() { self = ReconnectPolicy() }

    /// Delays the next attempt; a random part of the delay spreads the attempts of many processes.
    mutating func fail(_ error: any Error, now: ContinuousClock.Instant) {
        let delay = min(Self.longestDelay, Self.firstDelay * (1 << min(self.failures, 10)))
        self.failures += 1
        self.failure = error
        self.notBefore = now + delay * Double.random(in: 0.5...1)
    }

    func wait(now: ContinuousClock.Instant) -> Duration {
        self.notBefore.map { max(.zero, $0 - now) } ?? .zero
    }
}
