// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hands over urgent batches that are made only within a transaction, once that has been committed.
final class TransactionHandOver: Sendable {
    private struct Part: Sendable {
        let handOver: BatchHandOver
        let claims: [BatchID: ClaimedBatch]
    }

    private let handOvers: BatchHandOvers
    private let parts = Mutex<[Part]>([])

    /// Nothing is handed over so far.
    init(_ handOvers: BatchHandOvers) {
        self.handOvers = handOvers
    }

    /// Leases those of the batches that somebody wants; called within the transaction.
    func take(_ batches: [Batch], now: Date) -> [BatchID: ClaimedBatch] {
        let handOver = self.handOvers.offer(batches, now: now)
        let claims = handOver.lease()
        self.parts.withLock { $0.append(Part(handOver: handOver, claims: claims)) }
        return claims
    }

    /// The transaction has been committed.
    func complete() {
        for part in self.takeAll() { part.handOver.complete(part.claims) }
    }

    /// The transaction was rolled back, or begins anew.
    func withdraw() {
        for part in self.takeAll() { part.handOver.withdraw() }
    }

    private func takeAll() -> [Part] {
        self.parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
    }
}

extension SQLiteStore {
    /// Runs a change of activities; urgent batches that it makes are handed over where somebody in this process wants them.
    func writeActivities<Value: Sendable>(
        in lane: Lane = .urgent,
        _ body: @escaping @Sendable (ActivitySQL, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        let handOver = TransactionHandOver(self.handOvers)
        do {
            let value = try await self.write(in: lane) { database, changes in
                handOver.withdraw()
                return try body(ActivitySQL(database: database, handOver: handOver), &changes)
            }
            handOver.complete()
            return value
        } catch {
            handOver.withdraw()
            throw error
        }
    }
}
