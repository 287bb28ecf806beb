// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: ClaimingStore {
    /// Leases batches to a worker, of each kind the oldest first; see `BatchStore`.
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        try await self.claimInRounds(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
    }

    package func carryOut(_ round: ClaimRound) async throws -> ClaimRound {
        let logger = self.logger
        return try await self.write(isStored: { try $0.holds($1) }) { connection, changes in
            var round = round
            var transaction = PostgresClaim(connection)
            changes = try transaction.run(&round, logger: logger)
            return round
        }
    }

    package func contents(of leases: [StoredLease]) async throws -> [Result<BatchContent?, any Error>] {
        try await self.run(isCancellable: false) { connection in
            let contents = try connection.rows(
                "SELECT * FROM batch_contents WHERE batch = ANY($1::uuid[])",
                [.ids(leases.map(\.batch.id.value))]
            )
            let rows = Dictionary(contents.map { (try? $0.blob("batch"), $0) }) { first, _ in first }
            return leases.map { lease in
                Result {
                    guard let row = rows[lease.batch.id.value.stored] else {
                        throw StoreError.damaged("content of a batch")
                    }
                    return try BatchContent(stored: row, targetCount: lease.batch.lifecycle.targetCount)
                }
            }
        }
    }
}
