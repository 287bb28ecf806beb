// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension SQLDatabase {
    /// Executes a transaction that stores batches, and hands over those that a taker of the store wants.
    ///
    /// `body` leases these to the takers. `isStored` decides after a lost response to the commit.
    func write<Value: Sendable>(
        handingOver batches: [Batch],
        in lane: Lane,
        isStored: @escaping @Sendable (any SQLExecutor) throws -> Bool,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction, [BatchID: ClaimedBatch]) throws -> Value
    ) async throws -> Value {
        let handOver = batches.first.flatMap { self.driver.batchHandOvers?.offer(batches, now: $0.createdAt) }
        do {
            let (value, claims) = try await self.write(
                in: lane,
                isStored: { reader, _ in try isStored(reader) },
                operation: operation,
                { transaction -> (Value, [BatchID: ClaimedBatch]) in
                    // The leases begin with the transaction, which may have waited for others.
                    let claims = handOver?.lease() ?? [:]
                    return (try body(transaction, claims), claims)
                }
            )
            handOver?.complete(claims)
            return value
        } catch {
            handOver?.withdraw()
            throw error
        }
    }
}
