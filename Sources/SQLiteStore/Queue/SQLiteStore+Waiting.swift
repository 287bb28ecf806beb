// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import PushStore
import SQLite

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension SQLiteStore {
    /// Which of these batches were halted since they were claimed; see `BatchStore`.
    public func halted(among batches: [BatchID]) async throws -> Set<BatchID> {
        guard !batches.isEmpty else { return [] }
        return try await self.read { database in
            var halted: Set<BatchID> = []
            for batch in batches {
                let row = try database.row(
                    "SELECT 1 FROM batches WHERE id = ? AND halt IS NULL AND state < 3",
                    [batch.value.stored]
                )
                if row == nil { halted.insert(batch) }
            }
            return halted
        }
    }

    /// When the next batch that waits for its time may be claimed; see `BatchStore`.
    public func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.read { database in
            var times: [Int64] = []
            for (number, _) in try database.openKinds(in: lane) {
                let row = try database.row(
                    """
                    SELECT claimable_at FROM batches INDEXED BY batches_open
                    WHERE lane = ? AND kind = ? AND state = 2 AND claimable_at > ? ORDER BY claimable_at LIMIT 1
                    """,
                    [lane.stored, number, now.millisecondsSince1970]
                )
                if let row { times.append(try row.int64("claimable_at")) }
            }
            return times.min().map { Date(millisecondsSince1970: $0) }
        }
    }

    /// When the rest of a notification is gone on with, where all of it waits; see `BatchStore`.
    public func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.read { database in
            let row = try database.row(
                """
                SELECT min(claimable_at) AS turn FROM batches INDEXED BY batches_unsettled
                WHERE notification = ? AND (state < 3 OR state = 7)
                HAVING min(state) = 2 AND max(state) = 2 AND min(claimable_at) > ?
                """,
                [notification.value.stored, now.millisecondsSince1970]
            )
            return try row?.date("turn")
        }
    }
}
