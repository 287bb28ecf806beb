// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Delivers stop requests and expirations to the batches that are being sent.
final class Halts: Sendable {
    private struct Entry {
        let notification: NotificationID
        let lane: Lane
        let signal: AsyncStream<BatchProgress.Stop>.Continuation
        var stop: BatchProgress.Stop?
    }

    private let entries = Mutex<[BatchID: Entry]>([:])

    /// Wakes the poller when a bulk batch starts.
    let beginnings = WorkSignal()

    /// Registers a batch that starts.
    ///
    /// - Returns: a stream with one element, the reason, when the batch must stop.
    func begin(_ batch: Batch) -> AsyncStream<BatchProgress.Stop> {
        let (stream, signal) = AsyncStream.makeStream(of: BatchProgress.Stop.self, bufferingPolicy: .bufferingOldest(1))
        let entry = Entry(notification: batch.notification, lane: batch.lane, signal: signal)
        self.entries.withLock { $0[batch.id] = entry }
        if batch.lane == .bulk { self.beginnings.wake() }
        return stream
    }

    /// Returns why a batch must stop; `nil` if it can continue.
    func stop(of batch: BatchID) -> BatchProgress.Stop? { self.entries.withLock { $0[batch]?.stop } }

    /// Removes a batch that ended.
    func end(_ batch: BatchID) {
        let entry = self.entries.withLock { $0.removeValue(forKey: batch) }
        entry?.signal.finish()
    }

    /// The bulk batches that are being sent; urgent batches end before a poll could find them.
    var bulkBatches: [BatchID] {
        self.entries.withLock { entries in entries.filter { $0.value.lane == .bulk }.map(\.key) }
    }

    /// Stops the batches of a notification, because a caller paused or cancelled it.
    func halt(_ notification: NotificationID) {
        self.stop(for: .halted) { $1.notification == notification }
    }

    /// Stops batches, because a caller paused or cancelled them.
    func halt(_ batches: Set<BatchID>) {
        self.stop(for: .halted) { batch, _ in batches.contains(batch) }
    }

    /// Stops a batch that expired.
    func expire(_ batch: BatchID) {
        self.stop(for: .expired) { expired, _ in expired == batch }
    }

    /// Stops batches: once this returns, none of them starts a chunk.
    private func stop(for reason: BatchProgress.Stop, where isConcerned: (BatchID, Entry) -> Bool) {
        let signals = self.entries.withLock { entries in
            let concerned = entries.filter { $0.value.stop == nil && isConcerned($0.key, $0.value) }
            for batch in concerned.keys { entries[batch]?.stop = reason }
            return concerned.values.map(\.signal)
        }
        for signal in signals { signal.yield(reason) }
    }
}

/// Polls the store for stop requests of other processes to the batches that are being sent.
///
/// One query covers all batches, and there is none while no bulk batch is sent. Stop requests in this process take
/// effect at once.
struct HaltWatch: Sendable {
    let context: DeliveryService

    /// Polls until the service shuts down or the task is cancelled.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.context.halts.beginnings.wakes {
                while await self.isAsking() {}
            }
        }
    }

    /// Waits, and polls once.
    ///
    /// - Returns: whether to poll again.
    private func isAsking() async -> Bool {
        guard (try? await self.context.clock.sleep(for: self.context.configuration.haltInterval)) != nil else {
            return false
        }
        let batches = self.context.halts.bulkBatches
        guard !batches.isEmpty else { return false }
        do {
            self.context.halts.halt(try await self.context.store.halted(among: batches))
        } catch {
            // The next poll repeats the query.
            self.context.logger.warning("Nobody knows which batches were halted", metadata: ["error": "\(error)"])
        }
        return true
    }
}
