// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Tells the batches that are being sent when they are to stop: they were halted, or their time is over.
final class Halts: Sendable {
    private struct Entry {
        let notification: NotificationID
        let lane: Lane
        let signal: AsyncStream<BatchProgress.Stop>.Continuation
        var stop: BatchProgress.Stop?
    }

    private let entries = Mutex<[BatchID: Entry]>([:])

    /// Wakes when bulk batches begin to be sent, about which the store is to be asked.
    let beginnings = WorkSignal()

    /// A batch begins to be sent.
    ///
    /// - Returns: a stream with an element when it is to stop: why.
    func begin(_ batch: Batch) -> AsyncStream<BatchProgress.Stop> {
        let (stream, signal) = AsyncStream.makeStream(of: BatchProgress.Stop.self, bufferingPolicy: .bufferingOldest(1))
        let entry = Entry(notification: batch.notification, lane: batch.lane, signal: signal)
        self.entries.withLock { $0[batch.id] = entry }
        if batch.lane == .bulk { self.beginnings.wake() }
        return stream
    }

    /// Why a batch that is being sent is to stop, if that is so.
    func stop(of batch: BatchID) -> BatchProgress.Stop? { self.entries.withLock { $0[batch]?.stop } }

    /// A batch is not sent any more.
    func end(_ batch: BatchID) {
        let entry = self.entries.withLock { $0.removeValue(forKey: batch) }
        entry?.signal.finish()
    }

    /// The bulk batches that are being sent; urgent ones are over before anyone could ask.
    var bulkBatches: [BatchID] {
        self.entries.withLock { entries in entries.filter { $0.value.lane == .bulk }.map(\.key) }
    }

    /// Batches of a notification were halted.
    func halt(_ notification: NotificationID) {
        self.stop(for: .halted) { $1.notification == notification }
    }

    /// Batches were halted.
    func halt(_ batches: Set<BatchID>) {
        self.stop(for: .halted) { batch, _ in batches.contains(batch) }
    }

    /// The time of a batch is over.
    func expire(_ batch: BatchID) {
        self.stop(for: .expired) { expired, _ in expired == batch }
    }

    /// Once this returns, no chunk is begun any more of those that are concerned.
    private func stop(for reason: BatchProgress.Stop, where isConcerned: (BatchID, Entry) -> Bool) {
        let signals = self.entries.withLock { entries in
            let concerned = entries.filter { $0.value.stop == nil && isConcerned($0.key, $0.value) }
            for batch in concerned.keys { entries[batch]?.stop = reason }
            return concerned.values.map(\.signal)
        }
        for signal in signals { signal.yield(reason) }
    }
}

/// Asks the store whether batches that are being sent were halted by another process.
///
/// One question for all of them, and none while no bulk batch is being sent. What this process halts is heard of at once.
struct HaltWatch: Sendable {
    let context: DeliveryService

    /// Watches until the service is shut down or the task is cancelled.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.context.halts.beginnings.wakes {
                while await self.isAsking() {}
            }
        }
    }

    /// Waits, and asks once.
    ///
    /// - Returns: whether there is more to ask about.
    private func isAsking() async -> Bool {
        guard (try? await self.context.clock.sleep(for: self.context.configuration.haltInterval)) != nil else {
            return false
        }
        let batches = self.context.halts.bulkBatches
        guard !batches.isEmpty else { return false }
        do {
            self.context.halts.halt(try await self.context.store.halted(among: batches))
        } catch {
            // Asked again after the next wait.
            self.context.logger.warning("Nobody knows which batches were halted", metadata: ["error": "\(error)"])
        }
        return true
    }
}
