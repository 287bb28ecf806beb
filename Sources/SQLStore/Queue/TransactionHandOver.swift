// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel
import PushStore
import Synchronization

extension SQLDatabase {
    /// Executes a change, and hands the urgent batches that it stores for activities over to the takers.
    package func writeHandingOver<Value: Sendable>(
        in lane: Lane = .urgent,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws -> Value {
        let handOver = TransactionHandOver(self.driver.batchHandOvers)
        @Sendable func withdraw() { handOver.takeAll().handOver.withdraw() }
        do {
            let value = try await self.write(
                in: lane,
                isStored: { reader, _ in try handOver.isStored(reader) },
                operation: operation
            ) { transaction in
                withdraw()
                transaction.handOver = handOver
                return try body(transaction)
            }
            let taken = handOver.takeAll()
            taken.handOver.complete(taken.claims)
            return value
        } catch {
            withdraw()
            throw error
        }
    }

    /// Executes a transaction that stores batches, and hands over those that a taker of the store wants.
    ///
    /// `body` stores them under these leases, and removes the leases of the batches that it does not store. `isStored`
    /// decides after a lost response to the commit.
    func write<Value: Sendable>(
        handingOver batches: [Batch],
        in lane: Lane,
        isStored: @escaping @Sendable (any SQLExecutor) throws -> Bool,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction, inout [BatchID: ClaimedBatch]) throws -> Value
    ) async throws -> Value {
        let handOver = batches.first.flatMap { self.driver.batchHandOvers.offer(batches, now: $0.createdAt) }
        do {
            let (value, claims) = try await self.write(
                in: lane,
                isStored: { reader, _ in try isStored(reader) },
                operation: operation
            ) { transaction -> (Value, [BatchID: ClaimedBatch]) in
                // The leases begin with the transaction, which may have waited for others.
                var claims = handOver?.lease() ?? [:]
                let value = try body(transaction, &claims)
                return (value, claims)
            }
            handOver?.complete(claims)
            return value
        } catch {
            handOver?.withdraw()
            throw error
        }
    }
}

/// Hands over urgent batches that a transaction stores, after its commit.
final class TransactionHandOver: Sendable {
    typealias Taken = (handOver: BatchHandOver, claims: [BatchID: ClaimedBatch])

    private let handOvers: BatchHandOvers
    private let taken = Mutex<Taken>((BatchHandOver(), [:]))

    fileprivate init(_ handOvers: BatchHandOvers) {
        self.handOvers = handOvers
    }

    /// Leases the batches that a taker wants, within the transaction.
    func take(_ batches: [Batch], now: Date) -> [BatchID: ClaimedBatch] {
        let handOver = self.handOvers.offer(batches, now: now)
        let claims = handOver.lease()
        self.taken.withLock { taken in
            taken.handOver.append(handOver)
            taken.claims.merge(claims) { first, _ in first }
        }
        return claims
    }

    /// Whether the transaction is committed; `false` if it hands over nothing.
    fileprivate func isStored(_ reader: any SQLExecutor) throws -> Bool {
        guard let batch = self.taken.withLock({ $0.claims.keys.first }) else { return false }
        return try reader.first("SELECT 1 FROM batches WHERE id = \(batch.value)") != nil
    }

    /// Everything to complete after the commit, or to withdraw after a rollback or before the transaction runs again.
    fileprivate func takeAll() -> Taken {
        self.taken.withLock { taken in
            defer { taken = (BatchHandOver(), [:]) }
            return taken
        }
    }
}
