// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Tells streams which of their batches have advanced, from one subscription to the store.
///
/// While `run()` is not active, nobody is told; streams then depend on their slow re-check.
final class BatchSignals: Service {
    private let changes: AsyncStream<StoreChange>
    private let watching = Mutex<[BatchID: [BatchInbox]]>([:])

    /// Subscribes to the store at once, so that nothing is missed before `run()` has begun.
    init(store: any PushStore) {
        self.changes = store.changes { change in
            if case .batchAdvanced = change { true } else { false }
        }
    }

    /// Passes the store's signals on until the server stops.
    func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if case .batchAdvanced(let id) = change {
                for inbox in self.watching.withLock({ $0[id] ?? [] }) { inbox.add(id) }
            } else {
                // Some were missed: of any batch.
                for (id, inboxes) in self.watching.withLock(\.self) { for inbox in inboxes { inbox.add(id) } }
            }
        }
    }

    /// Has an inbox told of batches from now on.
    func watch(_ batches: [BatchID], for inbox: BatchInbox) {
        self.watching.withLock { watching in
            for batch in batches { watching[batch, default: []].append(inbox) }
        }
    }

    /// Has an inbox told of batches no more.
    func forget(_ batches: [BatchID], for inbox: BatchInbox) {
        self.watching.withLock { watching in
            for batch in batches {
                watching[batch]?.removeAll { $0 === inbox }
                if watching[batch]?.isEmpty == true { watching[batch] = nil }
            }
        }
    }
}

/// The batches of one stream that are to be looked at.
final class BatchInbox: Sendable {
    /// There are some.
    let wakes: AsyncStream<Void>

    private let wake: AsyncStream<Void>.Continuation
    private let batches = Mutex<Set<BatchID>>([])

    init() {
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A batch is to be looked at.
    func add(_ batch: BatchID) {
        self.batches.withLock { _ = $0.insert(batch) }
        self.wake.yield()
    }

    /// Takes all of them.
    func takeAll() -> [BatchID] {
        self.batches.withLock { batches in
            defer { batches = [] }
            return Array(batches)
        }
    }
}
