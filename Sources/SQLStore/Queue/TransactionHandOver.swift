// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel
import PushStore
import Synchronization

extension SQLDatabase {
    /// Executes a change in a transaction; see ``write(in:retriesConflicts:isStored:operation:_:)``.
    ///
    /// Urgent batches that it stores for activities are handed over to the takers of the store, if it has any.
    package func writeHandingOver<Value: Sendable>(
        in lane: Lane = .urgent,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws -> Value {
        guard let handOvers = self.driver.batchHandOvers else {
            return try await self.write(in: lane, operation: operation, body)
        }
        let handOver = TransactionHandOver(handOvers)
        do {
            let value = try await self.write(in: lane, operation: operation) { transaction in
                handOver.withdraw()
                transaction.handOver = handOver
                return try body(transaction)
            }
            handOver.complete()
            return value
        } catch {
            handOver.withdraw()
            throw error
        }
    }
}

/// Hands over urgent batches that a transaction stores, after its commit.
final class TransactionHandOver: Sendable {
    private struct Part: Sendable {
        let handOver: BatchHandOver
        let claims: [BatchID: ClaimedBatch]
    }

    private let handOvers: BatchHandOvers
    private let parts = Mutex<[Part]>([])

    fileprivate init(_ handOvers: BatchHandOvers) {
        self.handOvers = handOvers
    }

    /// Leases the batches that a taker wants, within the transaction.
    func take(_ batches: [Batch], now: Date) -> [BatchID: ClaimedBatch] {
        let handOver = self.handOvers.offer(batches, now: now)
        let claims = handOver.lease()
        self.parts.withLock { $0.append(Part(handOver: handOver, claims: claims)) }
        return claims
    }

    /// The transaction is committed.
    fileprivate func complete() {
        for part in self.takeAll() { part.handOver.complete(part.claims) }
    }

    /// The transaction was rolled back, or runs again.
    fileprivate func withdraw() {
        for part in self.takeAll() { part.handOver.withdraw() }
    }

    private func takeAll() -> [Part] {
        self.parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
    }
}
