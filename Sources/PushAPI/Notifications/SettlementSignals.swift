// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Wakes the requests that wait for a notification to be settled, from one subscription to the store.
///
/// While `run()` is not active, nobody is woken; waiting requests then depend on their slow re-check.
final class SettlementSignals: Service {
    private struct State {
        var waiting: [NotificationID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var nextID: UInt64 = 0
    }

    private let changes: AsyncStream<StoreChange>
    private let announcements: Announcements
    private let state = Mutex(State())

    /// Subscribes to the store at once, so that nothing is missed before `run()` has begun.
    init(store: any PushStore, announcements: Announcements) {
        self.changes = store.changes { change in
            if case .notificationSettled = change { true } else { false }
        }
        self.announcements = announcements
    }

    func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if case .notificationSettled(let id) = change {
                self.wake { $0[id].map { Array($0.values) } ?? [] }
            } else {
                // Some were missed: of any notification.
                self.wake { $0.values.flatMap(\.values) }
            }
        }
    }

    /// A subscription for one notification; whoever makes it before the notification is accepted misses nothing.
    ///
    /// With `announced`, the stream also wakes when the outcomes are announced and the store does not have them yet.
    /// - Returns: a stream with an element for each time at which to look at the notification again, and what adds further
    ///   elements or ends it. Dropping the stream ends the subscription.
    func subscribe(
        to id: NotificationID,
        announced: Bool = false
    ) -> (wakes: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation) {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = self.state.withLock { state in
            state.nextID += 1
            state.waiting[id, default: [:]][state.nextID] = wake
            return state.nextID
        }
        if announced { self.announcements.listen(for: id, wake) }
        wake.onTermination = { [weak self] _ in
            if announced { self?.announcements.forgetListener(for: id) }
            self?.forget(number, of: id)
        }
        return (wakes, wake)
    }

    private func wake(
        _ choose: ([NotificationID: [UInt64: AsyncStream<Void>.Continuation]]) -> [AsyncStream<Void>.Continuation]
    ) {
        // Yielding under the lock could end a stream, which takes the lock again: the continuations are copied.
        for waiting in self.state.withLock({ choose($0.waiting) }) { waiting.yield() }
    }

    private func forget(_ number: UInt64, of id: NotificationID) {
        self.state.withLock { state in
            state.waiting[id]?[number] = nil
            if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil }
        }
    }
}
