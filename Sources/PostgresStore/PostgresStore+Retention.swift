// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import PushModel
public import PushStore

extension PostgresStore: RetentionStore {
    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        var pruned = try await self.pruneSettled(before: time, limit: limit)
        if !pruned.hasMore { pruned.hasMore = try await self.keepUnnoted(before: time) }
        return pruned
    }

    private func pruneSettled(before time: Date, limit: Int) async throws -> PrunedNotifications {
        try await self.write { connection in
            var budget = PruningBudget(limit: limit)
            var pruned = PrunedNotifications()
            let old = try connection.lockOldNotifications(before: time, limit: budget.notifications)
            guard !old.isEmpty else { return pruned }
            let found = try connection.contents(of: old, limit: budget.batches)
            var done: [OldNotification] = []
            var gone: [OldNotification] = []
            var batches: [APNsID] = []
            for notification in old {
                guard !budget.isSpent else { break }
                budget.spendNotification()
                guard !found.open.contains(notification.id) else {
                    done.append(notification)
                    continue
                }
                gone.append(notification)
                let own = found.batches[notification.id] ?? []
                var count = 0
                // One batch goes in any case, so that every call comes further.
                while count < own.count, count == 0 || !budget.isSpent {
                    budget.spendBatch()
                    budget.spendFailures(own[count].failures)
                    batches.append(own[count].id)
                    count += 1
                }
                guard count == own.count, count < found.limit else { continue }
                done.append(notification)
                pruned.notifications += 1
            }
            try connection.remove(batches, of: gone)
            try connection.forget(done)
            pruned.batches = batches.count
            pruned.hasMore = budget.isSpent
            return pruned
        }
    }

    @discardableResult
    public func pruneChunks(before time: Date) async throws -> Int {
        let streams = try await self.read { connection in
            try connection.rows(
                """
                SELECT app, id FROM streams WHERE (
                    SELECT created_at < $1 AND end_line <= accepted_lines FROM stream_chunks
                    WHERE stream_chunks.app = streams.app AND stream = streams.id ORDER BY end_line LIMIT 1
                )
                """,
                [.integer(time.millisecondsSince1970)]
            ).map { (app: try $0.int64("app"), id: try $0.string("id")) }
        }
        var removed = 0
        for stream in streams {
            var step = PruningBudget.chunks
            while step == PruningBudget.chunks {
                step = try await self.write {
                    try $0.pruneChunks(ofStream: stream.id, app: stream.app, before: time)
                }
                removed += step
            }
        }
        return removed
    }
}

/// A notification that was settled long ago.
private struct OldNotification: Sendable {
    let id: APNsID
    let settledAt: Int64

    init(stored row: PostgresRow) throws {
        guard let id = APNsID(stored: try row.blob("notification")) else { throw StoreError.damaged("notification") }
        self.id = id
        self.settledAt = try row.int64("settled_at")
    }
}

/// What there is of notifications that are to go.
private struct OldContents {
    /// Those of which something may still be sent.
    var open: Set<APNsID> = []

    /// The batches of the others, as many of each as `limit` at most.
    var batches: [APNsID: [(id: APNsID, failures: Int)]] = [:]

    let limit: Int
}

extension PostgresConnection {
    /// Queues that a notification, which is settled, is kept for a while from now on.
    func keep(_ notification: NotificationID, app: Int64, settledAt time: Date) throws {
        try self.queue(
            "INSERT INTO settled_notifications (settled_at, app, notification) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.integer(time.millisecondsSince1970), .integer(app), .id(notification.value)]
        )
    }

    /// Those that were settled first; what another process removes just now is passed over.
    fileprivate func lockOldNotifications(before time: Date, limit: Int) throws -> [OldNotification] {
        try self.rows(
            """
            SELECT settled_at, notification FROM settled_notifications WHERE settled_at < $1
            ORDER BY settled_at, notification LIMIT $2 FOR UPDATE SKIP LOCKED
            """,
            [.integer(time.millisecondsSince1970), .number(limit)]
        ).map { try OldNotification(stored: $0) }
    }

    /// Reads which of the notifications are open, and some of the batches of each.
    fileprivate func contents(of notifications: [OldNotification], limit: Int) throws -> OldContents {
        let ids = PostgresValue.ids(notifications.map(\.id))
        let open = try self.queue(
            "SELECT id FROM notifications WHERE id = ANY($1::uuid[]) AND (is_open OR open_batches > 0)",
            [ids]
        )
        let batches = try self.queue(
            """
            SELECT batches.id, batches.notification, batches.failures FROM unnest($1::uuid[]) AS old (id)
            CROSS JOIN LATERAL (
                SELECT id, notification, ordinal,
                    greatest(0, least(target_count::bigint - delivered, \(Batch.maximumTargets))) AS failures
                FROM batches WHERE notification = old.id ORDER BY ordinal LIMIT $2
            ) AS batches
            ORDER BY batches.notification, batches.ordinal
            """,
            [ids, .number(limit)]
        )
        try self.receive()
        var contents = OldContents(limit: limit)
        contents.open = Set(try open.rows.map { try Self.id($0, "id") })
        for row in batches.rows {
            let batch = (id: try Self.id(row, "id"), failures: try row.number("failures"))
            contents.batches[try Self.id(row, "notification"), default: []].append(batch)
        }
        return contents
    }

    private static func id(_ row: PostgresRow, _ column: String) throws -> APNsID {
        guard let id = APNsID(stored: try row.blob(column)) else { throw StoreError.damaged("batch") }
        return id
    }

    /// Queues that batches go, and the notifications that they are of.
    ///
    /// In the order in which those who settle lock these rows. Batches that are left are found by the id of their
    /// notification, which nobody sees any more.
    fileprivate func remove(_ batches: [APNsID], of notifications: [OldNotification]) throws {
        for table in ["batch_failures", "batch_counts", "batch_contents"] {
            try self.queue("DELETE FROM \(table) WHERE batch = ANY($1::uuid[])", [.ids(batches)])
        }
        try self.queue("DELETE FROM batches WHERE id = ANY($1::uuid[])", [.ids(batches)])
        for table in ["notifications", "campaigns"] {
            try self.queue("DELETE FROM \(table) WHERE id = ANY($1::uuid[])", [.ids(notifications.map(\.id))])
        }
    }

    /// Queues that notifications are not looked at again.
    fileprivate func forget(_ notifications: [OldNotification]) throws {
        try self.queue(
            """
            DELETE FROM settled_notifications USING unnest($1::bigint[], $2::uuid[]) AS done (settled_at, notification)
            WHERE settled_notifications.settled_at = done.settled_at
                AND settled_notifications.notification = done.notification
            """,
            [.integers(notifications.map(\.settledAt)), .ids(notifications.map(\.id))]
        )
    }

    /// Removes some of a stream's chunks, the oldest first; the last one stays.
    ///
    /// - Returns: how many were removed.
    fileprivate func pruneChunks(ofStream stream: String, app: Int64, before time: Date) throws -> Int {
        let reply = try self.queue(
            """
            DELETE FROM stream_chunks WHERE app = $1 AND stream = $2 AND end_line <= (
                SELECT max(end_line) FROM (
                    SELECT end_line, created_at FROM stream_chunks WHERE app = $1 AND stream = $2
                    ORDER BY end_line LIMIT $3
                ) AS oldest
                WHERE created_at < $4
                    AND end_line <= (SELECT accepted_lines FROM streams WHERE app = $1 AND id = $2)
            )
            """,
            [.integer(app), .text(stream), .number(PruningBudget.chunks), .integer(time.millisecondsSince1970)]
        )
        try self.commit()
        return reply.changes
    }
}

extension PostgresStore {
    /// Notes of old notifications that they are settled, where the process that settled them did not.
    ///
    /// Looks at notifications that were accepted before `time`. What is old and still there is little: most of it was
    /// settled later than that.
    /// - Returns: whether there were any; then there may be more.
    /// - Throws: `StoreError`.
    func keepUnnoted(before time: Date) async throws -> Bool {
        let end = APNsID.first(at: time.millisecondsSince1970)
        var last = APNsID(high: 0, low: 0)
        while true {
            let part = try await self.read { [last] in try $0.unnoted(after: last, before: end) }
            guard part.ids.isEmpty else {
                try await self.write { try $0.keepUnnoted(part.ids) }
                return true
            }
            guard let next = part.last else { return false }
            last = next
        }
    }
}

extension PostgresConnection {
    /// Takes the ids between which notifications are looked at.
    ///
    /// Whether one was noted is looked up for each: there are few, and very many that were noted.
    static let unnotedQuery = """
        SELECT part.id, (part.is_settled AND settled.noted IS NULL)::int AS is_unnoted FROM (
            SELECT id, app, NOT is_open AND open_batches = 0 AS is_settled FROM notifications
            WHERE id > $1 AND id < $2 ORDER BY id LIMIT \(PruningBudget.notificationsAtOnce)
        ) AS part
        LEFT JOIN LATERAL (
            SELECT 1 AS noted FROM settled_notifications WHERE app = part.app AND notification = part.id LIMIT 1
        ) AS settled ON part.is_settled
        ORDER BY part.id
        """

    /// Those among the next notifications of a range of ids, and the last of the notifications unless these were all.
    fileprivate func unnoted(after first: APNsID, before end: APNsID) throws -> (ids: [APNsID], last: APNsID?) {
        let rows = try self.rows(Self.unnotedQuery, [.id(first), .id(end)])
        let ids = try rows.map { row in
            guard let id = APNsID(stored: try row.blob("id")) else { throw StoreError.damaged("notification") }
            return (id: id, isUnnoted: try row.number("is_unnoted") != 0)
        }
        let last = ids.count < PruningBudget.notificationsAtOnce ? nil : ids.last?.id
        return (ids.filter(\.isUnnoted).map(\.id), last)
    }

    /// Queues that is noted when notifications were settled, as the migration to `SchemaMigration.retention` did.
    fileprivate func keepUnnoted(_ notifications: [APNsID]) throws {
        try self.queue(
            """
            INSERT INTO settled_notifications (settled_at, app, notification)
            SELECT
                coalesce(
                    (SELECT max(batches.created_at) FROM batches WHERE batches.notification = notifications.id),
                    notifications.created_at
                ),
                notifications.app, notifications.id
            FROM notifications
            WHERE id = ANY($1::uuid[]) AND NOT is_open AND open_batches = 0 AND NOT EXISTS (
                SELECT FROM settled_notifications AS settled
                WHERE settled.app = notifications.app AND settled.notification = notifications.id
            )
            ON CONFLICT DO NOTHING
            """,
            [.ids(notifications)]
        )
    }
}
