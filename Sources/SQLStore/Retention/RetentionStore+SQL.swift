// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import PushModel
public import PushStore

extension RetentionStore where Self: SQLBacked {
    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        let old = SQL.oldNotifications(before: time)
        guard try await self.sql.finds("\(old) LIMIT 1") else { return PrunedNotifications() }
        return try await self.sql.write(in: .bulk) { transaction in
            var pruning = NotificationPruning(in: transaction, limit: limit)
            return try pruning.run(before: time)
        }
    }

    public func pruneChunks(before time: Date) async throws -> Int {
        // The first chunk of a stream is its oldest one.
        let streams = try await self.sql.read { reader in
            try reader.rows(
                """
                SELECT app, id FROM streams WHERE (
                    SELECT created_at < \(time) AND end_line <= accepted_lines FROM stream_chunks
                    WHERE \(sqlite: "stream = streams.number", postgres: "app = streams.app AND stream = streams.id")
                    ORDER BY end_line LIMIT 1
                )
                """
            ).map { (app: try $0.int64("app"), id: try $0.string("id")) }
        }
        var removed = 0
        for (app, id) in streams {
            let chunks: SQL = "FROM stream_chunks WHERE \(SQL.isChunk(ofStream: id, app: "\(app)"))"
            var step = StreamChunk.removedAtOnce
            while step == StreamChunk.removedAtOnce {
                step = try await self.sql.run(
                    """
                    DELETE \(chunks) AND end_line <= (
                        SELECT max(end_line) FROM (
                            SELECT end_line, created_at \(chunks) ORDER BY end_line LIMIT \(StreamChunk.removedAtOnce)
                        ) AS oldest
                        WHERE created_at < \(time) AND end_line <= (
                            SELECT accepted_lines FROM streams WHERE app = \(app) AND id = \(id)
                        )
                    )
                    """,
                    in: .bulk
                )
                removed += step
            }
        }
        return removed
    }
}

extension SQL {
    /// The notifications that were settled before a time, the oldest first; LIMIT follows.
    static func oldNotifications(before time: Date) -> SQL {
        """
        SELECT settled_at, notification FROM settled_notifications WHERE settled_at < \(time)
        ORDER BY settled_at, notification
        """
    }

    /// Whether a notification may still be sent to targets.
    static let isUnsettled: SQL = """
        (is_open OR \(
            sqlite: "EXISTS (SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7))",
            postgres: "open_batches > 0"
        ))
        """
}

private typealias ExpiredNotification = (id: APNsID, settledAt: Int64)

/// Removes old notifications within one transaction.
private struct NotificationPruning {
    /// The rows of a notification without its batches: its own, its record of settlement, its campaign.
    private static let notification = 4

    /// The rows and index entries of a batch without its failures.
    private static let batch = 8

    private let transaction: SQLTransaction

    /// The number of rows that the transaction may still remove, as far as it is known before.
    private var budget: Int

    private var pruned = PrunedNotifications()

    /// The notifications whose records of settlement are removed.
    private var completed: [ExpiredNotification] = []

    /// Takes a limit, which is brought into 100...10,000: there is always room for one notification and one batch.
    init(in transaction: SQLTransaction, limit: Int) {
        self.transaction = transaction
        self.budget = min(max(100, limit), 10_000)
    }

    /// How many batches there may be room for; at least one.
    private var batches: Int { max(0, self.budget) / Self.batch + 1 }

    mutating func run(before time: Date) throws -> PrunedNotifications {
        let limit = self.budget / Self.notification + 1
        // Those that another process removes now are skipped.
        let old = try self.transaction.rows(
            "\(SQL.oldNotifications(before: time)) LIMIT \(limit)\(lock: " FOR UPDATE SKIP LOCKED")"
        ).mapReadable(in: "settled_notifications") { row in
            (id: try row.apnsID("notification"), settledAt: try row.int64("settled_at"))
        }
        switch self.transaction.dialect {
        case .sqlite: try self.removeEach(of: old)
        case .postgres: try self.removeTogether(old)
        }
        let done = try SQLRows(
            "done",
            self.completed,
            ["settled_at": { .integer($0.settledAt) }, "notification": { .id($0.id) }]
        )
        try self.transaction.run(
            """
            DELETE FROM settled_notifications\(" USING ", done)
            WHERE settled_notifications.settled_at = \(done["settled_at"])
                AND settled_notifications.notification = \(done["notification"])
            """
        )
        self.pruned.hasMore = self.budget <= 0
        return self.pruned
    }

    /// Removes the rows of all notifications with one statement for each table, because each result is a round trip on
    /// PostgreSQL.
    private mutating func removeTogether(_ old: [ExpiredNotification]) throws {
        guard !old.isEmpty else { return }
        let limit = self.batches
        let rows = try SQLRows("old", old, ["id": { .id($0.id) }])
        let unsettled = try self.transaction.run(
            "SELECT id FROM notifications WHERE id \(each: old.map(\.id)) AND \(SQL.isUnsettled)"
        )
        let found = try self.transaction.run(
            """
            SELECT batches.id, batches.notification, batches.failures\(" FROM ", rows) CROSS JOIN LATERAL (
                SELECT id, notification, ordinal,
                    greatest(0, least(CAST(target_count AS bigint) - delivered, \(Batch.maximumTargets))) AS failures
                FROM batches WHERE notification = \(rows["id"]) ORDER BY ordinal LIMIT \(limit)
            ) AS batches
            ORDER BY batches.notification, batches.ordinal
            """
        )
        let open = Set(try unsettled.rows.map { try $0.apnsID("id") })
        let batches = try Dictionary(grouping: found.rows) { try $0.apnsID("notification") }
        var gone: [APNsID] = []
        var removed: [APNsID] = []
        for notification in old where self.budget > 0 {
            self.budget -= Self.notification
            guard !open.contains(notification.id) else {
                self.completed.append(notification)
                continue
            }
            gone.append(notification.id)
            let own = batches[notification.id] ?? []
            var count = 0
            // At least one batch is removed, so that every call makes progress.
            while count < own.count, count == 0 || self.budget > 0 {
                self.budget -= Self.batch + (try own[count].number("failures"))
                removed.append(try own[count].apnsID("id"))
                count += 1
            }
            guard count == own.count, count < limit else { continue }
            self.completed.append(notification)
            self.pruned.notifications += 1
        }
        // In the order in which settlements lock these rows. The batches that are left are found by the ID of their
        // notification, which no reader finds from now on.
        try self.transaction.run("DELETE FROM batch_failures WHERE batch \(each: removed)")
        try self.transaction.run("DELETE FROM batch_counts WHERE batch \(each: removed)")
        try self.transaction.run("DELETE FROM batch_contents WHERE batch \(each: removed)")
        try self.transaction.run("DELETE FROM batches WHERE id \(each: removed)")
        try self.transaction.run("DELETE FROM notifications WHERE id \(each: gone)")
        try self.transaction.run("DELETE FROM campaigns WHERE id \(each: gone)")
        self.pruned.batches = removed.count
    }

    /// Removes notifications one by one, and the failures of a batch in parts, so that no transaction on SQLite writes much
    /// more than the budget: other changes wait for it.
    private mutating func removeEach(of old: [ExpiredNotification]) throws {
        for notification in old where self.budget > 0 {
            self.budget -= Self.notification
            let id = notification.id
            let open = try self.transaction.first("SELECT 1 FROM notifications WHERE id = \(id) AND \(SQL.isUnsettled)")
            if open == nil {
                try self.transaction.run("DELETE FROM campaigns WHERE id = \(id)")
                guard try self.removeBatches(of: id) else {
                    // No reader finds it from now on.
                    try self.transaction.run("UPDATE notifications SET batch_count = -1 WHERE id = \(id)")
                    break
                }
                try self.transaction.run("DELETE FROM notifications WHERE id = \(id)")
                self.pruned.notifications += 1
            }
            self.completed.append(notification)
        }
    }

    /// Removes batches of a notification; returns whether none is left.
    private mutating func removeBatches(of notification: APNsID) throws -> Bool {
        let limit = self.batches
        let batches = try self.transaction.rows(
            """
            SELECT id, content,
                (SELECT length(payload) + length(targets) FROM batch_contents WHERE number = batches.content) AS bytes
            FROM batches WHERE notification = \(notification) ORDER BY ordinal LIMIT \(limit)
            """
        )
        for batch in batches {
            guard self.budget > 0 else { return false }
            let id = try batch.blob("id")
            let failures = try self.transaction.run(
                """
                DELETE FROM batch_failures WHERE batch = \(id) AND position IN (
                    SELECT position FROM batch_failures WHERE batch = \(id) ORDER BY position LIMIT \(self.budget)
                )
                """
            ).changes
            self.budget -= failures
            guard self.budget > 0 else { return false }
            try self.transaction.run("DELETE FROM batch_contents WHERE number = \(try batch.int64("content"))")
            // Its counts are removed with it.
            try self.transaction.run("DELETE FROM batches WHERE id = \(id)")
            // Each page of 4096 bytes of its contents counts as a row.
            self.budget -= Self.batch + Int(try batch.integer("bytes") ?? 0) / 4096
            self.pruned.batches += 1
        }
        return batches.count < limit
    }
}
