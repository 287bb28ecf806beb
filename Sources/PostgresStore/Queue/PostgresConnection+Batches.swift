// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension PostgresConnection {
    /// The batch of that id, which nobody else changes before the transaction ends, or `nil`.
    func lockedBatch(_ id: BatchID) throws -> BatchRow? {
        try self.row("SELECT * FROM batches WHERE id = $1 FOR UPDATE", [.id(id.value)]).map(BatchRow.init(stored:))
    }

    /// Queues that what changes about a batch is written back.
    func update(_ batch: BatchRow) throws {
        let lifecycle = batch.lifecycle
        try self.queue(
            """
            UPDATE batches SET state = $2, claimable_at = $3, next_target = $4, deferred = $5, delivered = $6,
                worker = $7, setbacks = $8, failure = $9 WHERE id = $1
            """,
            [
                .id(batch.id.value), .number(lifecycle.state.number), .integer(lifecycle.state.claimableAt),
                .number(lifecycle.cursor), .bytes(batch.storedDeferred), .number(batch.delivered),
                .text(lifecycle.lastWorker?.rawValue), .number(lifecycle.setbacks), .text(lifecycle.state.failure),
            ]
        )
    }

    /// Queues that counts are added to what a batch's targets came to; what was delivered is counted in the batch.
    func add(_ counts: OutcomeCounts, to batch: BatchID) throws {
        let entries = counts.stored
        guard !entries.isEmpty else { return }
        try self.queue(
            """
            INSERT INTO batch_counts (batch, kind, name, count)
            SELECT $1, kind, name, count FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS told (kind, name, count)
            ON CONFLICT (batch, kind, name) DO UPDATE SET count = batch_counts.count + excluded.count
            """,
            [
                .id(batch.value), .integers(entries.map { Int64($0.kind) }), .texts(entries.map(\.name)),
                .integers(entries.map { Int64($0.count) }),
            ]
        )
    }

    /// Queues that a batch is written back which will send nothing more, and that its notification counts it off.
    ///
    /// The row of the notification is locked last, behind those of batches: so no two transactions wait for one another.
    func end(_ batch: BatchRow) throws -> BatchEnd {
        try self.update(batch)
        let reply = try self.queue(
            "UPDATE notifications SET open_batches = open_batches - 1 WHERE id = $1 RETURNING open_batches",
            [.id(batch.notification.value)]
        )
        return BatchEnd(notification: batch.notification, reply: reply)
    }

    /// Queues that a batch ends whose remaining targets are not sent to, and that these are counted.
    func close(_ batch: BatchRow, remaining: Int, as code: FailureCode) throws -> BatchEnd {
        try self.add(OutcomeCounts(failed: [code: remaining]), to: batch.id)
        return try self.end(batch)
    }
}

/// The end of a batch, which may have been its notification's last one.
struct BatchEnd {
    fileprivate let notification: NotificationID
    fileprivate let reply: PostgresReply

    /// Whether the notification is settled by it; known once the reply has been received.
    var isLast: Bool {
        get throws { try self.reply.rows.first?.number("open_batches") == 0 }
    }

    /// What subscribers are told.
    var changes: [StoreChange] {
        get throws { try self.isLast ? [.notificationSettled(self.notification)] : [] }
    }
}
