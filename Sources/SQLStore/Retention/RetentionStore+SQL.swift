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
        return try await self.sql.write(in: .bulk) { try $0.pruneNotifications(before: time, limit: limit) }
    }

    @discardableResult
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
            var step = PruningBudget.chunks
            while step == PruningBudget.chunks {
                step = try await self.sql.run(
                    """
                    DELETE \(chunks) AND end_line <= (
                        SELECT max(end_line) FROM (
                            SELECT end_line, created_at \(chunks) ORDER BY end_line LIMIT \(PruningBudget.chunks)
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

/// The number of rows that one transaction may still remove, as far as it is known before.
struct PruningBudget: Sendable {
    /// The rows of a notification without its batches: its own, its record of settlement, its campaign.
    private static let notification = 4

    /// The rows and index entries of a batch without its failures.
    private static let batch = 8

    /// The number of chunks of streams that are removed at once; each may have the names of 2000 lines.
    static let chunks = 200

    private var rows: Int

    /// Takes a limit, which is brought into 100...10,000: there is always room for one notification and one batch.
    init(limit: Int) { self.rows = min(max(100, limit), 10_000) }

    var isSpent: Bool { self.rows <= 0 }
    var notifications: Int { self.rows / Self.notification + 1 }

    /// How many batches there may be room for; at least one.
    var batches: Int { max(0, self.rows) / Self.batch + 1 }

    /// How many failures there is room for; at least one.
    var failures: Int { max(1, self.rows) }

    mutating func spendNotification() { self.rows -= Self.notification }
    mutating func spendFailures(_ count: Int) { self.rows -= count }

    /// Counts a batch without its failures, and each page of 4096 bytes of its contents as a row.
    mutating func spendBatch(bytes: Int = 0) { self.rows -= Self.batch + bytes / 4096 }
}

private typealias OldNotification = (id: APNsID, settledAt: Int64)

/// The removal of old notifications within one transaction.
extension SQLTransaction {
    func pruneNotifications(before time: Date, limit: Int) throws -> PrunedNotifications {
        var budget = PruningBudget(limit: limit)
        var pruned = PrunedNotifications()
        // Those that another process removes now are skipped.
        let old = try self.rows(
            """
            \(SQL.oldNotifications(before: time)) LIMIT \(budget.notifications)\(lock: " FOR UPDATE SKIP LOCKED")
            """
        ).mapReadable(in: "settled_notifications") { row in
            (id: try row.apnsID("notification"), settledAt: try row.int64("settled_at"))
        }
        let completed =
            try self.dialect == .sqlite
            ? self.pruneEach(of: old, &budget, &pruned) : self.pruneTogether(old, &budget, &pruned)
        let done = try SQLRows(
            "done",
            completed,
            ["settled_at": { .integer($0.settledAt) }, "notification": { .id($0.id) }]
        )
        try self.run(
            """
            DELETE FROM settled_notifications\(" USING ", done)
            WHERE settled_notifications.settled_at = \(done["settled_at"])
                AND settled_notifications.notification = \(done["notification"])
            """
        )
        pruned.hasMore = budget.isSpent
        return pruned
    }
}

// MARK: - PostgreSQL

/// PostgreSQL removes the rows of all notifications with one statement for each table, because each statement that has to be
/// waited for is a round trip.
extension SQLTransaction {
    private func pruneTogether(
        _ old: [OldNotification],
        _ budget: inout PruningBudget,
        _ pruned: inout PrunedNotifications
    ) throws -> [OldNotification] {
        guard !old.isEmpty else { return [] }
        let limit = budget.batches
        let rows = try SQLRows("old", old, ["id": { .id($0.id) }])
        let unsettled = try self.run(
            "SELECT id FROM notifications WHERE id \(each: old.map(\.id)) AND \(SQL.isUnsettled)"
        )
        let found = try self.run(
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
        var completed: [OldNotification] = []
        var gone: [APNsID] = []
        var removed: [APNsID] = []
        for notification in old where !budget.isSpent {
            budget.spendNotification()
            guard !open.contains(notification.id) else {
                completed.append(notification)
                continue
            }
            gone.append(notification.id)
            let own = batches[notification.id] ?? []
            var count = 0
            // At least one batch is removed, so that every call makes progress.
            while count < own.count, count == 0 || !budget.isSpent {
                budget.spendBatch()
                budget.spendFailures(try own[count].number("failures"))
                removed.append(try own[count].apnsID("id"))
                count += 1
            }
            guard count == own.count, count < limit else { continue }
            completed.append(notification)
            pruned.notifications += 1
        }
        // In the order in which settlements lock these rows. The batches that are left are found by the ID of their
        // notification, which no reader finds from now on.
        try self.run("DELETE FROM batch_failures WHERE batch \(each: removed)")
        try self.run("DELETE FROM batch_counts WHERE batch \(each: removed)")
        try self.run("DELETE FROM batch_contents WHERE batch \(each: removed)")
        try self.run("DELETE FROM batches WHERE id \(each: removed)")
        try self.run("DELETE FROM notifications WHERE id \(each: gone)")
        try self.run("DELETE FROM campaigns WHERE id \(each: gone)")
        pruned.batches = removed.count
        return completed
    }
}

// MARK: - SQLite

/// SQLite removes notifications one by one, and the failures of a batch in parts, so that no transaction writes much more than
/// the budget: other changes wait for it.
extension SQLTransaction {
    private func pruneEach(
        of old: [OldNotification],
        _ budget: inout PruningBudget,
        _ pruned: inout PrunedNotifications
    ) throws -> [OldNotification] {
        var completed: [OldNotification] = []
        for notification in old where !budget.isSpent {
            budget.spendNotification()
            let id = notification.id
            let open = try self.first("SELECT 1 FROM notifications WHERE id = \(id) AND \(SQL.isUnsettled)")
            if open == nil {
                try self.run("DELETE FROM campaigns WHERE id = \(id)")
                guard try self.pruneBatches(of: id, &budget, &pruned) else {
                    // No reader finds it from now on.
                    try self.run("UPDATE notifications SET batch_count = -1 WHERE id = \(id)")
                    break
                }
                try self.run("DELETE FROM notifications WHERE id = \(id)")
                pruned.notifications += 1
            }
            completed.append(notification)
        }
        return completed
    }

    /// Removes batches of a notification; returns whether none is left.
    private func pruneBatches(
        of notification: APNsID,
        _ budget: inout PruningBudget,
        _ pruned: inout PrunedNotifications
    ) throws -> Bool {
        let limit = budget.batches
        let batches = try self.rows(
            """
            SELECT id, content,
                (SELECT length(payload) + length(targets) FROM batch_contents WHERE number = batches.content) AS bytes
            FROM batches WHERE notification = \(notification) ORDER BY ordinal LIMIT \(limit)
            """
        )
        for batch in batches {
            guard !budget.isSpent else { return false }
            let id = try batch.blob("id")
            let left = budget.failures
            let failures = try self.run(
                """
                DELETE FROM batch_failures WHERE batch = \(id) AND position IN (
                    SELECT position FROM batch_failures WHERE batch = \(id) ORDER BY position LIMIT \(left)
                )
                """
            ).changes
            budget.spendFailures(failures)
            guard failures < left else { return false }
            try self.run("DELETE FROM batch_contents WHERE number = \(try batch.int64("content"))")
            // Its counts are removed with it.
            try self.run("DELETE FROM batches WHERE id = \(id)")
            budget.spendBatch(bytes: Int(try batch.integer("bytes") ?? 0))
            pruned.batches += 1
        }
        return batches.count < limit
    }
}
