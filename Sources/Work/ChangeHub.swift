// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushStore
import ServiceLifecycle
import Synchronization

/// Wakes subscribers by key, from one subscription to the store.
///
/// Without an active `run()` no subscriber is woken. Poll as well, because changes of other processes can arrive late
/// or never.
package final class ChangeHub<Key: Hashable & Sendable>: Service {
    private let changes: AsyncStream<StoreChange>
    private let key: @Sendable (StoreChange) -> Key?
    fileprivate let table = Table()

    /// The subscriptions, apart from the hub because the store asks for them while the hub is initialized.
    fileprivate final class Table: Sendable {
        let subscriptions = Mutex<[Key: [Subscription]]>([:])

        func contains(_ key: Key) -> Bool { self.subscriptions.withLock { $0[key] != nil } }
    }

    /// Subscribes to the store now, so that no change is missed before `run()` starts.
    ///
    /// `key` is `nil` for changes that concern no subscriber. Changes of keys without a subscriber are not received: a
    /// later subscriber finds them in the store.
    package init(_ store: any StoreChangeSource, key: @escaping @Sendable (StoreChange) -> Key?) {
        self.key = key
        self.changes = store.changes { [table] in key($0).map(table.contains) == true }
    }

    package func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if let key = self.key(change) { self.publish(key) } else { self.publishMissed() }
        }
    }

    package func publish(_ key: Key) {
        for subscription in self.table.subscriptions.withLock({ $0[key] ?? [] }) { subscription.wake(for: key) }
    }

    package func publishMissed() {
        for (key, subscriptions) in self.table.subscriptions.withLock(\.self) {
            for subscription in subscriptions { subscription.wake(for: key) }
        }
    }

    package func hasSubscriber(for key: Key) -> Bool { self.table.contains(key) }

    /// Subscribes to a key that has no other subscriber; returns `nil` if it has one.
    package func subscribeAlone(to key: Key) -> Subscription? {
        let subscription = Subscription(of: self, keys: [key])
        let isAlone = self.table.subscriptions.withLock { subscriptions in
            guard subscriptions[key] == nil else { return false }
            subscriptions[key] = [subscription]
            return true
        }
        return isAlone ? subscription : nil
    }

    /// Subscribes to keys; ``Subscription/end()`` has to follow.
    package func subscribe(to keys: Key...) -> Subscription {
        let subscription = Subscription(of: self)
        subscription.add(keys)
        return subscription
    }

    /// The wake-ups of one subscriber.
    ///
    /// Those that wait count as one, and keep their keys.
    package final class Subscription: Sendable {
        private let hub: ChangeHub
        private let signal = WorkSignal()
        private let keys: Mutex<(subscribed: Set<Key>, woken: Set<Key>)>

        fileprivate init(of hub: ChangeHub, keys: Set<Key> = []) {
            self.hub = hub
            self.keys = Mutex((keys, []))
        }

        /// Yields when something is to be looked at again; ends with ``end()``.
        package var wakes: AsyncStream<Void> { self.signal.wakes }

        package func wake() { self.signal.wake() }

        /// Wakes for a key, also if it is not subscribed to.
        package func wake(for key: Key) {
            self.keys.withLock { _ = $0.woken.insert(key) }
            self.signal.wake()
        }

        package func add(_ keys: [Key]) {
            self.keys.withLock { $0.subscribed.formUnion(keys) }
            self.hub.table.subscriptions.withLock { subscriptions in
                for key in keys { subscriptions[key, default: []].append(self) }
            }
        }

        package func remove(_ keys: [Key]) {
            self.keys.withLock { $0.subscribed.subtract(keys) }
            self.hub.table.subscriptions.withLock { subscriptions in
                for key in keys {
                    subscriptions[key]?.removeAll { $0 === self }
                    if subscriptions[key]?.isEmpty == true { subscriptions[key] = nil }
                }
            }
        }

        package func takeAll() -> [Key] {
            self.keys.withLock { keys in
                defer { keys.woken = [] }
                return Array(keys.woken)
            }
        }

        /// Ends the wake-ups, once the one that waits is taken, and the subscription.
        package func end() {
            self.remove(Array(self.keys.withLock { $0.subscribed }))
            self.signal.finish()
        }
    }
}

/// A wake-up signal for one consumer.
///
/// Wake-ups that arrive while the consumer is busy count as one.
package final class WorkSignal: Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    /// Yields after each wake-up; ends with ``finish()``.
    package let wakes: AsyncStream<Void>

    package init() {
        (self.wakes, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func wake() { self.continuation.yield() }

    /// Ends the stream once the consumer has taken the wake-up that waits.
    package func finish() { self.continuation.finish() }
}
