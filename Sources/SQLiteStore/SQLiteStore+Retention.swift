// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import PushModel
public import PushStore
import SQLite

extension SQLiteStore: RetentionStore {
    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        let time = time.millisecondsSince1970
        // Most often there is nothing, which a read finds out without waiting for those who write.
        let isIdle = try await self.read { try $0.settledNotifications(before: time, limit: 1).isEmpty }
        var pruned = PrunedNotifications()
        if !isIdle { pruned = try await self.pruneSettled(before: time, limit: limit) }
        if !pruned.hasMore { pruned.hasMore = try await self.keepUnnoted(before: time) }
        return pruned
    }

    private func pruneSettled(before time: Int64, limit: Int) async throws -> PrunedNotifications {
        try await self.write(in: .bulk) { database in
            var budget = PruningBudget(limit: limit)
            var pruned = PrunedNotifications()
            for row in try database.settledNotifications(before: time, limit: budget.notifications) {
                guard !budget.isSpent else { break }
                budget.spendNotification()
                let id = try row.blob("notification")
                if try database.isSettled(id) {
                    guard try database.prune(id, &budget, &pruned) else { break }
                    pruned.notifications += 1
                }
                try database.run(
                    "DELETE FROM settled_notifications WHERE settled_at = ? AND notification = ?",
                    [try row.int64("settled_at"), id]
                )
            }
            pruned.hasMore = budget.isSpent
            return pruned
        }
    }

    @discardableResult
    public func pruneChunks(before time: Date) async throws -> Int {
        let time = time.millisecondsSince1970
        // What is to go is found beside the changes: a stream's chunks are as old as their order says.
        let streams = try await self.read { database in
            try database.rows(
                """
                SELECT number FROM streams WHERE (
                    SELECT created_at < ? AND end_line <= accepted_lines FROM stream_chunks
                    WHERE stream = streams.number ORDER BY end_line LIMIT 1
                )
                """,
                [time]
            ).map { try $0.int64("number") }
        }
        var removed = 0
        for stream in streams {
            var step = PruningBudget.chunks
            while step == PruningBudget.chunks {
                step = try await self.write(in: .bulk) { try $0.pruneChunks(ofStream: stream, before: time) }
                removed += step
            }
        }
        return removed
    }
}

extension Database {
    /// A notification is settled: its time to be kept begins.
    func keep(_ notification: NotificationID, app: Int64, settledAt time: Date) throws {
        try self.run(
            "INSERT OR IGNORE INTO settled_notifications (settled_at, notification, app) VALUES (?, ?, ?)",
            [time.millisecondsSince1970, notification.value.stored, app]
        )
    }

    fileprivate func settledNotifications(before time: Int64, limit: Int) throws -> [Row] {
        try self.rows(
            """
            SELECT settled_at, notification FROM settled_notifications WHERE settled_at < ?
            ORDER BY settled_at, notification LIMIT ?
            """,
            [time, limit]
        )
    }

    /// Whether nothing more will be sent of a notification, or there is none any more.
    fileprivate func isSettled(_ notification: [UInt8]) throws -> Bool {
        try self.row(
            """
            SELECT 1 FROM notifications WHERE id = ? AND (
                is_open OR EXISTS (SELECT 1 FROM batches WHERE notification = ? AND (state < 3 OR state = 7))
            )
            """,
            [notification, notification]
        ) == nil
    }

    /// Removes a notification, its batches first; one that does not fit is seen by nobody from then on.
    ///
    /// - Returns: whether nothing of it is left.
    fileprivate func prune(
        _ notification: [UInt8],
        _ budget: inout PruningBudget,
        _ pruned: inout PrunedNotifications
    ) throws -> Bool {
        try self.run("DELETE FROM campaigns WHERE id = ?", [notification])
        guard try self.pruneBatches(of: notification, &budget, &pruned) else {
            try self.run("UPDATE notifications SET batch_count = -1 WHERE id = ?", [notification])
            return false
        }
        try self.run("DELETE FROM notifications WHERE id = ?", [notification])
        return true
    }

    /// Removes batches of a notification.
    ///
    /// - Returns: whether none is left.
    private func pruneBatches(
        of notification: [UInt8],
        _ budget: inout PruningBudget,
        _ pruned: inout PrunedNotifications
    ) throws -> Bool {
        let limit = budget.batches
        let batches = try self.rows(
            """
            SELECT id, content,
                (SELECT length(payload) + length(targets) FROM batch_contents WHERE number = batches.content) AS bytes
            FROM batches WHERE notification = ? ORDER BY ordinal LIMIT ?
            """,
            [notification, limit]
        )
        for batch in batches {
            guard !budget.isSpent else { return false }
            let id = try batch.blob("id")
            guard try self.pruneFailures(of: id, &budget) else { return false }
            try self.run("DELETE FROM batch_contents WHERE number = ?", [try batch.int64("content")])
            // Its counts go with it.
            try self.run("DELETE FROM batches WHERE id = ?", [id])
            budget.spendBatch(bytes: Int(try batch.integer("bytes") ?? 0))
            pruned.batches += 1
        }
        return batches.count < limit
    }

    /// Removes failures of a batch.
    ///
    /// - Returns: whether none is left.
    private func pruneFailures(of batch: [UInt8], _ budget: inout PruningBudget) throws -> Bool {
        let limit = budget.failures
        let count = try self.run(
            """
            DELETE FROM batch_failures WHERE batch = ? AND position IN (
                SELECT position FROM batch_failures WHERE batch = ? ORDER BY position LIMIT ?
            )
            """,
            [batch, batch, limit]
        )
        budget.spendFailures(count)
        return count < limit
    }

    /// Removes some of a stream's chunks, the oldest first; the last one stays.
    ///
    /// - Returns: how many were removed.
    fileprivate func pruneChunks(ofStream stream: Int64, before time: Int64) throws -> Int {
        let row = try self.row(
            """
            SELECT max(end_line) AS last FROM (
                SELECT end_line, created_at FROM stream_chunks WHERE stream = ? ORDER BY end_line LIMIT ?
            )
            WHERE created_at < ? AND end_line <= (SELECT accepted_lines FROM streams WHERE number = ?)
            """,
            [stream, PruningBudget.chunks, time, stream]
        )
        guard let last = try row?.integer("last") else { return 0 }
        return try self.run("DELETE FROM stream_chunks WHERE stream = ? AND end_line <= ?", [stream, last])
    }
}

extension SQLiteStore {
    /// Notes of old notifications that they are settled, where the process that settled them did not.
    ///
    /// Looks at notifications that were accepted before `time`, in milliseconds since 1970. What is old and still there is
    /// little: most of it was settled later than that. It is read in parts beside the changes.
    /// - Returns: whether there were any; then there may be more.
    /// - Throws: `StoreError`.
    func keepUnnoted(before time: Int64) async throws -> Bool {
        let end = APNsID.first(at: time).stored
        var last: [UInt8] = []
        while true {
            let part = try await self.read { [last] in try $0.unnoted(after: last, before: end) }
            guard part.ids.isEmpty else {
                try await self.write(in: .bulk) { try $0.keepUnnoted(part.ids) }
                return true
            }
            guard let next = part.last else { return false }
            last = next
        }
    }
}

extension Database {
    /// Whether a notification is settled, and that was not noted.
    private static let isUnnoted = """
        NOT is_open
            AND NOT EXISTS (SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7))
            AND NOT EXISTS (
                SELECT 1 FROM settled_notifications AS settled
                WHERE settled.app = notifications.app AND settled.notification = notifications.id
            )
        """

    /// Those among the next notifications of a range of ids, and the last of the notifications unless these were all.
    fileprivate func unnoted(after first: [UInt8], before end: [UInt8]) throws -> (ids: [[UInt8]], last: [UInt8]?) {
        let rows = try self.rows(
            """
            SELECT id, \(Self.isUnnoted) AS is_unnoted FROM notifications WHERE id > ? AND id < ?
            ORDER BY id LIMIT \(PruningBudget.notificationsAtOnce)
            """,
            [first, end]
        )
        let ids = try rows.filter { try $0.number("is_unnoted") != 0 }.map { try $0.blob("id") }
        return (ids, rows.count < PruningBudget.notificationsAtOnce ? nil : try rows.last?.blob("id"))
    }

    /// Notes when notifications were settled, as the migration to `SchemaMigration.retention` did.
    fileprivate func keepUnnoted(_ notifications: [[UInt8]]) throws {
        for id in notifications {
            try self.run(
                """
                INSERT INTO settled_notifications (settled_at, notification, app)
                SELECT coalesce((SELECT max(created_at) FROM batches WHERE notification = notifications.id), created_at),
                    id, app
                FROM notifications WHERE id = ? AND \(Self.isUnnoted)
                """,
                [id]
            )
        }
    }
}
