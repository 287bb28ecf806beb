// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Hands changes to every subscriber within a process; what a store's ``StoreSignals`` are made of.
public final class StoreBroadcast: StoreSignals {
    private struct Subscriber {
        let concern: @Sendable (StoreChange) -> Bool
        let continuation: AsyncStream<StoreChange>.Continuation
    }

    private struct State {
        var subscribers: [UInt64: Subscriber] = [:]
        var nextID: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// Makes a broadcast without subscribers.
    ///
    /// - Parameter capacity: how many changes are kept for a subscriber that lags behind; at least 2.
    public init(capacity: Int = 4096) {
        self.capacity = max(2, capacity)
    }

    /// How many subscribers there are.
    public var subscriberCount: Int { self.state.withLock { $0.subscribers.count } }

    /// The changes from now on that are of concern; see ``StoreSignals/changes(_:)``.
    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreChange.self,
            bufferingPolicy: .bufferingNewest(self.capacity)
        )
        let id: UInt64? = self.state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.subscribers[state.nextID] = Subscriber(concern: concern, continuation: continuation)
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Signals a change to everyone who subscribes now and whom it concerns; never waits.
    public func send(_ change: StoreChange) {
        // Yielding under the lock could call `onTermination`, which takes it again: the subscribers are copied.
        let subscribers = self.state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers where change == .missed || subscriber.concern(change) {
            if case .dropped = subscriber.continuation.yield(change) { subscriber.continuation.yield(.missed) }
        }
    }

    /// Ends every subscription, and those that come later at once.
    public func finish() {
        let subscribers = self.state.withLock { state in
            state.isFinished = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.continuation.finish() }
    }
}
