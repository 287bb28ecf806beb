// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Wakes the streams that follow an app's feed, from one subscription to the store.
///
/// While `run()` is not active, nobody is woken; streams then depend on their slow re-check.
final class EventSignals: Service {
    private struct State {
        var waiting: [AppID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var nextID: UInt64 = 0
    }

    private let changes: AsyncStream<StoreChange>
    private let state = Mutex(State())

    /// Subscribes to the store at once, so that nothing is missed before `run()` has begun.
    init(store: any PushStore) {
        self.changes = store.changes { change in
            if case .eventsAppended = change { true } else { false }
        }
    }

    func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if case .eventsAppended(let app) = change {
                self.wake { $0[app].map { Array($0.values) } ?? [] }
            } else {
                // Some were missed: of any app.
                self.wake { $0.values.flatMap(\.values) }
            }
        }
    }

    /// A subscription to an app's feed.
    ///
    /// - Returns: a stream with an element for each time at which to look for events, of which one that waits stands for
    ///   all, and what adds further elements or ends it. Dropping the stream ends the subscription.
    func subscribe(to app: AppID) -> (wakes: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation) {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = self.state.withLock { state in
            state.nextID += 1
            state.waiting[app, default: [:]][state.nextID] = wake
            return state.nextID
        }
        wake.onTermination = { [weak self] _ in self?.forget(number, of: app) }
        return (wakes, wake)
    }

    private func wake(
        _ choose: ([AppID: [UInt64: AsyncStream<Void>.Continuation]]) -> [AsyncStream<Void>.Continuation]
    ) {
        // Yielding under the lock could end a stream, which takes the lock again: the continuations are copied.
        for waiting in self.state.withLock({ choose($0.waiting) }) { waiting.yield() }
    }

    private func forget(_ number: UInt64, of app: AppID) {
        self.state.withLock { state in
            state.waiting[app]?[number] = nil
            if state.waiting[app]?.isEmpty == true { state.waiting[app] = nil }
        }
    }
}
