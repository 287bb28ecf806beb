// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

extension Database {
    func batch(_ id: BatchID) throws -> BatchRow? {
        try self.row("SELECT * FROM batches WHERE id = ?", [id.value.stored]).map(BatchRow.init(stored:))
    }

    /// The batches of a notification, in their order.
    func batches(of notification: NotificationID) throws -> [BatchRow] {
        try self.rows("SELECT * FROM batches WHERE notification = ? ORDER BY ordinal", [notification.value.stored])
            .map(BatchRow.init(stored:))
    }

    /// Writes back what changes about a batch.
    func update(_ batch: BatchRow) throws {
        let lifecycle = batch.lifecycle
        try self.run(
            """
            UPDATE batches SET state = ?, claimable_at = ?, next_target = ?, deferred = ?, delivered = ?, worker = ?,
                setbacks = ?, failure = ?, halt = ?, held = ?, interrupted = ? WHERE id = ?
            """,
            [
                lifecycle.state.number, lifecycle.state.claimableAt, lifecycle.cursor,
                batch.storedDeferred, batch.delivered, lifecycle.lastWorker?.rawValue,
                lifecycle.setbacks, lifecycle.state.failure, lifecycle.halt?.stored,
                lifecycle.held.wholeMilliseconds, lifecycle.interruptions.count, batch.id.value.stored,
            ]
        )
    }

    /// The batches of a notification that are not final, in their order.
    ///
    /// One that is damaged fails when it is claimed; one that is paused can be claimed from now on.
    func unsettledBatches(of notification: NotificationID) throws -> [BatchRow] {
        try self.rows(
            "SELECT * FROM batches WHERE notification = ? AND (state < 3 OR state = 7) ORDER BY ordinal",
            [notification.value.stored]
        ).compactMap { row -> BatchRow? in
            if let batch = try row.readable(in: "batches", { try BatchRow(stored: $0) }) { return batch }
            try self.run(
                "UPDATE batches SET state = 0, claimable_at = 0 WHERE id = ? AND state = 7",
                [try row.blob("id")]
            )
            return nil
        }
    }

    /// Settles a notification, and the campaign that sends it, when nothing more will be sent of it.
    ///
    /// - Returns: whether it is settled.
    @discardableResult
    func settleIfDone(
        _ notification: NotificationID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> Bool {
        let id = notification.value.stored
        let unsettled = try self.row(
            "SELECT 1 FROM batches WHERE notification = ? AND (state < 3 OR state = 7) LIMIT 1",
            [id]
        )
        let closed =
            unsettled == nil ? try self.row("SELECT app FROM notifications WHERE id = ? AND NOT is_open", [id]) : nil
        guard let closed else {
            changes.append(.batchSettled(notification))
            return false
        }
        try self.settled(notification, app: closed.int64("app"), now: now, signalling: &changes)
        if var row = try self.readableCampaign(CampaignID(notification.value)) {
            let former = row.lifecycle.state
            guard row.lifecycle.settle() else { return true }
            try self.update(row)
            try self.note(row, from: former, now: now, signalling: &changes)
        }
        return true
    }

    /// Adds to what a batch's targets came to; those that were delivered are counted in the batch itself.
    func add(_ counts: OutcomeCounts, to batch: BatchID) throws {
        try self.add(counts, toBatch: batch.value.stored)
    }

    /// As ``add(_:to:)``, for a batch whose id may be damaged.
    func add(_ counts: OutcomeCounts, toBatch id: [UInt8]) throws {
        for entry in counts.stored {
            try self.run(
                """
                INSERT INTO batch_counts (batch, kind, name, count) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = max(0, min(count, ?)) + excluded.count
                """,
                [id, entry.kind, entry.name, entry.count, Batch.maximumTargets]
            )
        }
    }

    /// The batches of a notification with their counts, in their order.
    func statuses(of notification: NotificationID) throws -> [BatchStatus] {
        let counts = try self.rows(Self.batchCounts, [notification.value.stored])
        return try self.batches(of: notification).statuses(counts: counts)
    }

    /// Reads the counts of all batches of a notification.
    ///
    /// CROSS JOIN keeps SQLite from scanning the counts of all notifications.
    static let batchCounts = """
        SELECT batch_counts.* FROM batches CROSS JOIN batch_counts ON batch_counts.batch = batches.id
        WHERE batches.notification = ?
        """
}

extension Database {
    /// Stores the contents of a batch, with the payload as `BatchPayload` encodes it.
    ///
    /// - Returns: the number by which the batch refers to it.
    /// - Throws: what SQLite throws.
    func insertContent(of batch: Batch, payload: [UInt8]) throws -> Int64 {
        try self.run(
            """
            INSERT INTO batch_contents (topic, push_type, priority, expiration, collapse_id, payload, targets)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                batch.headers.topic.rawValue, batch.headers.pushType.rawValue, batch.headers.priority?.rawValue,
                batch.headers.expiration?.rawValue, batch.headers.collapseID?.rawValue, payload,
                batch.targets.encoded,
            ]
        )
        return self.lastInsertedRowID
    }

    /// The contents of a batch, or `nil` when the batch was removed.
    func content(of batch: BatchRow) throws -> BatchContent? {
        try self.row("SELECT batch_contents.* FROM \(Self.contents)", [batch.id.value.stored]).map {
            try BatchContent(stored: $0, targetCount: batch.lifecycle.targetCount)
        }
    }

    /// The targets of a batch alone.
    func targets(of batch: BatchRow) throws -> TargetList {
        guard let row = try self.row("SELECT targets FROM \(Self.contents)", [batch.id.value.stored]) else {
            throw StoreError.damaged("targets of a batch")
        }
        return try BatchContent.targets(stored: row, count: batch.lifecycle.targetCount)
    }

    /// A batch without contents is a damaged one.
    private static let contents = "batches LEFT JOIN batch_contents ON number = batches.content WHERE batches.id = ?"
}
