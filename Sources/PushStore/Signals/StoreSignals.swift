// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

/// Word of changes, so that nobody has to poll for what happens in the same process.
public protocol StoreSignals: Sendable {
    /// The changes from now on that are of concern, in their order.
    ///
    /// Within a process a change is signalled as soon as it is durable; changes by other processes may come later or
    /// never, so a slow poll beside it is needed. A subscriber that does not keep up loses the oldest changes and is
    /// told by ``StoreChange/missed``. Ending the iteration, or dropping the stream, ends the subscription.
    /// `concern` selects the changes besides ``StoreChange/missed``. It is called once for each change, by the task that
    /// makes it: it must not wait, but it may set a signal. A call can follow the end of the subscription.
    func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange>
}

/// Something happened in the store that others wait for.
public enum StoreChange: Hashable, Sendable {
    case batchReady(Lane)

    /// Targets of that batch have their outcome that had none before.
    case batchAdvanced(BatchID)

    /// Every target of that notification has its outcome.
    case notificationSettled(NotificationID)

    /// A batch of that notification has ended, and there are others: more of it may be planned.
    case batchSettled(NotificationID)

    /// Batches of that notification are not to be sent for now, or not at all: whoever sends them stops.
    case halted(NotificationID)

    /// That campaign is to be planned, or its state has changed.
    case campaignChanged(CampaignID)

    /// Something is to be done for Live Activities sooner than before: a transition was planned or moved, or more is to
    /// be sent than was at once.
    case activitiesDue

    /// Something is to be done for jobs sooner than before: one was made, changed or asked for, or a run has ended for
    /// which others wait.
    case jobsDue

    /// The app's feed has new events; follows the signal of what they tell of.
    case eventsAppended(AppID)

    /// A webhook was made, changed or given back: one may be claimable now.
    case webhooksChanged

    /// Something is to be posted to URLs that are subscribed to topics.
    case topicDeliveriesReady

    /// Changes were dropped because this subscriber was slow: look at everything that you wait for.
    case missed
}

/// Hands changes to every subscriber within a process; what a store's ``StoreSignals`` are made of.
public final class StoreBroadcast: StoreSignals {
    private final class Subscriber: Sendable {
        let concern: @Sendable (StoreChange) -> Bool
        let continuation: AsyncStream<StoreChange>.Continuation

        init(
            _ concern: @escaping @Sendable (StoreChange) -> Bool,
            _ continuation: AsyncStream<StoreChange>.Continuation
        ) {
            self.concern = concern
            self.continuation = continuation
        }
    }

    private struct State {
        var subscribers: [UInt64: Subscriber] = [:]
        var nextID: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// A subscriber that lags behind keeps the last `capacity` changes, at least 2.
    public init(capacity: Int = 4096) {
        self.capacity = max(2, capacity)
    }

    public var subscriberCount: Int { self.state.withLock { $0.subscribers.count } }

    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreChange.self,
            bufferingPolicy: .bufferingNewest(self.capacity)
        )
        let id: UInt64? = self.state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.subscribers[state.nextID] = Subscriber(concern, continuation)
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

    /// Signals each change to the current subscribers that it concerns; never waits.
    public func send(_ changes: [StoreChange]) {
        if changes.isEmpty { return }
        // Yielding under the lock could call `onTermination`, which takes it again: the subscribers are copied.
        let subscribers = self.state.withLock { Array($0.subscribers.values) }
        for change in changes {
            for subscriber in subscribers where change == .missed || subscriber.concern(change) {
                if case .dropped = subscriber.continuation.yield(change) { subscriber.continuation.yield(.missed) }
            }
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
