// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
import PushStore
import Synchronization

extension SQLDatabase {
    /// Executes a change, and hands its urgent batches off to the consumers.
    ///
    /// Without `storedRow`, the row of such a batch shows whether the transaction is committed.
    package func writeHandingOver<Value: Sendable>(
        in lane: Lane = .urgent,
        storedRow: (@Sendable (Value) -> SQL?)? = nil,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws -> Value {
        let handOver = TransactionHandoff(self.driver.batchHandOvers)
        do {
            let value = try await self.write(
                in: lane,
                storedRow: storedRow ?? { _ in handOver.storedRow },
                operation: operation
            ) { transaction in
                handOver.takeAll().withdraw()
                transaction.handOver = handOver
                return try body(transaction)
            }
            handOver.takeAll().complete()
            return value
        } catch {
            handOver.takeAll().withdraw()
            throw error
        }
    }
}

/// Hands over urgent batches that a transaction stores, after its commit.
final class TransactionHandoff: Sendable {
    private let handOvers: BatchHandoffRegistry
    private let taken = Mutex(BatchHandoff())

    fileprivate init(_ handOvers: BatchHandoffRegistry) {
        self.handOvers = handOvers
    }

    /// Leases the batches that a taker wants, within the transaction.
    func take(_ batches: [Batch]) -> [BatchID: ClaimedBatch] {
        let handOver = self.handOvers.offer(batches)
        self.taken.withLock { $0.append(handOver) }
        return handOver.claims
    }

    /// Finds a batch that is handed over; `nil` if there is none.
    fileprivate var storedRow: SQL? {
        self.taken.withLock { $0.first }.map { "SELECT 1 FROM batches WHERE id = \($0.value)" }
    }

    /// Everything to complete after the commit, or to withdraw after a rollback or before the transaction runs again.
    fileprivate func takeAll() -> BatchHandoff {
        self.taken.withLock { taken in
            defer { taken = BatchHandoff() }
            return taken
        }
    }
}
