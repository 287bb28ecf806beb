// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

/// Notifies subscribers of changes made in the same process, so that they do not have to poll.
public protocol StoreChangeSource: Sendable {
    /// Subscribes to the changes that `concern` selects, in their order.
    ///
    /// A change in this process is signalled as soon as it is durable. Changes of other processes can arrive late or
    /// never, so subscribers also need a slow poll. A subscriber that is too slow loses the oldest changes and receives
    /// ``StoreChange/missed``. To end the subscription, end the iteration or drop the stream.
    /// `concern` selects the changes besides ``StoreChange/missed``. The task that makes a change calls it once: it
    /// must not wait, but it may set a signal. A call can follow the end of the subscription.
    func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange>
}

/// A change in the store that other tasks wait for.
public enum StoreChange: Hashable, Sendable {
    case batchReady(Lane)

    /// More targets of that batch have their outcomes.
    case batchAdvanced(BatchID)

    /// Every target of that notification has its outcome.
    case notificationSettled(NotificationID)

    /// A batch of that notification is completed, and it has others: more batches can be created.
    case batchSettled(NotificationID)

    /// Batches of that notification were paused or cancelled: their senders must stop.
    case halted(NotificationID)

    /// That campaign has work for a scheduler, or its state has changed.
    case campaignChanged(CampaignID)

    /// Live Activities have earlier work than before: a transition was scheduled or moved, or pushes are pending that
    /// did not fit in one transaction.
    case activitiesDue

    /// Jobs have earlier work than before: a job was created, changed or triggered, or a run has ended that others wait
    /// for.
    case jobsDue

    /// The app's feed has new events; the signal of the change itself comes first.
    case eventsAppended(AppID)

    /// A webhook was created, changed or released: a webhook may be claimable now.
    case webhooksChanged

    /// There are deliveries to HTTP subscriptions of topics.
    case topicDeliveriesReady

    /// Changes were dropped because this subscriber was too slow: it must reread everything that it waits for.
    case missed
}

/// Distributes changes to every subscriber within a process: the implementation of a store's ``StoreChangeSource``.
public final class StoreChangeBroadcaster: StoreChangeSource {
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

    /// Creates a broadcaster; a slow subscriber keeps the last `capacity` changes, at least 2.
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
        // Copy the subscribers: yielding under the lock could call `onTermination`, which acquires it again.
        let subscribers = self.state.withLock { Array($0.subscribers.values) }
        for change in changes {
            for subscriber in subscribers where change == .missed || subscriber.concern(change) {
                if case .dropped = subscriber.continuation.yield(change) { subscriber.continuation.yield(.missed) }
            }
        }
    }

    /// Ends every subscription; later subscriptions end immediately.
    public func finish() {
        let subscribers = self.state.withLock { state in
            state.isFinished = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.continuation.finish() }
    }
}
