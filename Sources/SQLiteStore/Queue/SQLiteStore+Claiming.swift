// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension SQLiteStore: ClaimingStore {
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
        return try await self.write(in: round.lane) { database, changes in
            var round = round
            var transaction = SQLiteClaim(database, now: round.now)
            try transaction.run(&round, logger: logger)
            changes += transaction.changes
            return round
        }
    }

    package func contents(of leases: [StoredLease]) async throws -> [Result<BatchContent?, any Error>] {
        let contents = try await self.read { database in
            leases.map { lease in
                Result { try database.content(of: lease.batch) }
            }
        }
        return contents.map { $0.mapError(self.translating) }
    }
}
