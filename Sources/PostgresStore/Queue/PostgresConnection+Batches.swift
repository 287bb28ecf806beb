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

    /// Queues that the batches of a notification that are not final are read, and that nobody else changes them.
    func lockUnsettledBatches(of notification: NotificationID) throws -> PostgresReply {
        try self.queue(
            """
            SELECT * FROM batches WHERE notification = $1 AND (state < 3 OR state = 7) ORDER BY id FOR UPDATE
            """,
            [.id(notification.value)]
        )
    }

    /// Queues that what changes about a batch is written back.
    func update(_ batch: BatchRow) throws {
        let lifecycle = batch.lifecycle
        try self.queue(
            """
            UPDATE batches SET state = $2, claimable_at = $3, next_target = $4, deferred = $5, delivered = $6,
                worker = $7, setbacks = $8, failure = $9, halt = $10, held = $11 WHERE id = $1
            """,
            [
                .id(batch.id.value), .number(lifecycle.state.number), .integer(lifecycle.state.claimableAt),
                .number(lifecycle.cursor), .bytes(batch.storedDeferred), .number(batch.delivered),
                .text(lifecycle.lastWorker?.rawValue), .number(lifecycle.setbacks), .text(lifecycle.state.failure),
                .number(lifecycle.halt?.stored), .integer(lifecycle.held.wholeMilliseconds),
            ]
        )
    }

    /// Queues that counts are added to what a batch's targets came to; what was delivered is counted in the batch.
    func add(_ counts: OutcomeCounts, to batch: BatchID) throws {
        try self.add(counts, toBatch: batch.value)
    }

    /// As ``add(_:to:)``, for a batch whose id may be damaged.
    func add(_ counts: OutcomeCounts, toBatch id: APNsID) throws {
        let entries = counts.stored
        guard !entries.isEmpty else { return }
        try self.queue(
            """
            INSERT INTO batch_counts (batch, kind, name, count)
            SELECT $1, kind, name, count FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS told (kind, name, count)
            ON CONFLICT (batch, kind, name) DO UPDATE SET count = batch_counts.count + excluded.count
            """,
            [
                .id(id), .integers(entries.map { Int64($0.kind) }), .texts(entries.map(\.name)),
                .integers(entries.map { Int64($0.count) }),
            ]
        )
    }

    /// Queues that a batch ends whose remaining targets are not sent to, and that these are counted.
    func close(_ batch: BatchRow, remaining: Int, as code: FailureCode, _ ends: inout BatchEnds) throws {
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [code: remaining]), to: batch.id)
        try self.markForRelief(batch, hasFailures: true)
        ends.add(batch.id, of: batch.notification)
    }

    /// Queues that batches are halted which are not final.
    ///
    /// - Returns: how many of their targets have no outcome, and whether workers have to stop.
    func halt(_ batches: [BatchRow], _ halt: BatchHalt, _ ends: inout BatchEnds) throws -> (targets: Int, stops: Bool) {
        var targets = 0
        var stops = false
        for var batch in batches {
            switch batch.lifecycle.halt(halt) {
            case .unchanged: continue
            case .paused:
                try self.update(batch)
                targets += batch.lifecycle.remaining
            case .marked(let remaining):
                try self.update(batch)
                targets += remaining
                stops = true
            case .cancelled(let remaining):
                try self.close(batch, remaining: remaining, as: .cancelled, &ends)
                targets += remaining
            }
        }
        return (targets, stops)
    }
}
