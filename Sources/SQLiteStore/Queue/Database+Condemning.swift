// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLite

extension Database {
    /// Ends a batch whose row cannot be read, since it would keep all others of its kind from being claimed.
    ///
    /// Those of its targets that have no outcome count as failed, and its notification, with the campaign that sends it, is
    /// settled without it. How many targets it has follows from the notification where its own number cannot be.
    /// - Returns: how many targets had no outcome.
    func condemn(_ row: Row, now: Date, signalling changes: inout [StoreChange]) throws -> Int {
        let key = try row.blob("id")
        let id = APNsID(stored: key)
        try self.run(
            """
            UPDATE batches SET target_count = max(1, min(?, coalesce(
                (SELECT target_count FROM notifications WHERE id = batches.notification) - (
                    SELECT coalesce(sum(others.target_count), 0) FROM batches AS others
                    WHERE others.notification = batches.notification AND others.id <> batches.id
                ), 1
            ))) WHERE id = ? AND target_count NOT BETWEEN 1 AND ?
            """,
            [Batch.maximumTargets, key, Batch.maximumTargets]
        )
        try self.run(
            """
            UPDATE batches SET state = ?, claimable_at = NULL, deferred = NULL, failure = ?,
                next_target = max(0, min(next_target, target_count)), delivered = max(0, min(delivered, target_count))
            WHERE id = ?
            """,
            [BatchState.failedNumber, FailureCode.damaged.rawValue, key]
        )
        let found = try self.row(
            """
            SELECT notification, target_count - delivered
                - (SELECT coalesce(sum(count), 0) FROM batch_counts WHERE batch = batches.id) AS remaining
            FROM batches WHERE id = ?
            """,
            [key]
        )
        guard let found, let notification = APNsID(stored: try found.blob("notification")) else { return 0 }
        let remaining = max(0, try found.number("remaining"))
        try self.add(OutcomeCounts(failed: [.damaged: remaining]), toBatch: key)
        if let batch = id.flatMap(BatchID.init) { changes.append(.batchAdvanced(batch)) }
        if let id = id.flatMap(BatchID.init), let batch = try? self.batch(id), batch.isActivity {
            try self.activities.relieve(batch, now: now, signalling: &changes)
        }
        try self.settleIfDone(NotificationID(notification), now: now, signalling: &changes)
        return remaining
    }
}
