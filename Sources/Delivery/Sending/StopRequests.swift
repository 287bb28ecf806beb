// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Delivers stop requests and expirations to the batches that are being sent.
final class StopRequests: Sendable {
    private struct Entry {
        let notification: NotificationID
        let lane: Lane
        let onStop: @Sendable (BatchProgress.Stop) -> Void
        var stop: BatchProgress.Stop?
    }

    private let entries = Mutex<[BatchID: Entry]>([:])

    /// Wakes the poller when a bulk batch starts.
    let beginnings = WorkSignal()

    /// Registers a batch that starts; `onStop` is called at most once, when it must stop.
    func begin(_ batch: Batch, onStop: @escaping @Sendable (BatchProgress.Stop) -> Void) {
        let entry = Entry(notification: batch.notification, lane: batch.lane, onStop: onStop)
        self.entries.withLock { $0[batch.id] = entry }
        if batch.lane == .bulk { self.beginnings.wake() }
    }

    func stop(of batch: BatchID) -> BatchProgress.Stop? { self.entries.withLock { $0[batch]?.stop } }

    func end(_ batch: BatchID) { self.entries.withLock { _ = $0.removeValue(forKey: batch) } }

    /// The bulk batches that are being sent; urgent batches end before a poll could find them.
    var bulkBatches: [BatchID] {
        self.entries.withLock { entries in entries.filter { $0.value.lane == .bulk }.map(\.key) }
    }

    func halt(_ notification: NotificationID) { self.stop(for: .halted) { $1.notification == notification } }

    func halt(_ batches: Set<BatchID>) { self.stop(for: .halted) { batch, _ in batches.contains(batch) } }

    func expire(_ batch: BatchID) { self.stop(for: .expired) { expired, _ in expired == batch } }

    /// Stops all batches, because the service shuts down.
    func shutDown() { self.stop(for: .shutdown) { _, _ in true } }

    /// Stops batches: once this returns, none of them starts a chunk.
    private func stop(for reason: BatchProgress.Stop, where isConcerned: (BatchID, Entry) -> Bool) {
        let signals = self.entries.withLock { entries in
            let concerned = entries.filter { $0.value.stop == nil && isConcerned($0.key, $0.value) }
            for batch in concerned.keys { entries[batch]?.stop = reason }
            return concerned.values.map(\.onStop)
        }
        for signal in signals { signal(reason) }
    }
}

extension DeliveryService {
    /// Polls the store for stop requests of other processes, until the service shuts down or the task is cancelled.
    ///
    /// One query covers all batches, and there is none while no bulk batch is sent. Stop requests in this process take
    /// effect at once.
    func pollForStopRequests() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.halts.beginnings.wakes {
                while (try? await self.clock.sleep(for: self.configuration.haltInterval)) != nil {
                    let batches = self.halts.bulkBatches
                    if batches.isEmpty { break }
                    do {
                        self.halts.halt(try await self.store.halted(among: batches))
                    } catch {
                        // The next poll repeats the query.
                        self.logger.warning("Failed to poll for stop requests", metadata: ["error": "\(error)"])
                    }
                }
            }
        }
    }
}
