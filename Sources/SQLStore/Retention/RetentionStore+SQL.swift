// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
public import Foundation
import PushModel
public import PushStore

extension RetentionStore where Self: SQLBacked {
    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        // Mostly there is nothing. A read finds that out without waiting for other changes.
        let isIdle = try await self.sql.read { try $0.first("\(SQL.oldNotifications(before: time)) LIMIT 1") == nil }
        var pruned = PrunedNotifications()
        if !isIdle {
            pruned = try await self.sql.write(in: .bulk) { try $0.pruneNotifications(before: time, limit: limit) }
        }
        if !pruned.hasMore { pruned.hasMore = try await self.recordSettlements(before: time) }
        return pruned
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

    /// Records the settlement of old notifications whose process did not record it.
    ///
    /// Reads the notifications that were accepted before `time`. They are few, because most old ones are removed.
    /// - Returns: whether there were any; then there may be more.
    private func recordSettlements(before time: Date) async throws -> Bool {
        let end = APNsID.first(at: time.millisecondsSince1970)
        var last: APNsID? = APNsID(high: 0, low: 0)
        while let start = last {
            let (unrecorded, next) = try await self.sql.read { reader in
                let rows = try reader.rows(SQL.unrecordedSettlements(after: start, before: end))
                let unrecorded = try rows.filter { try $0.number("is_unrecorded") != 0 }
                let next = rows.count < PruningBudget.notificationsAtOnce ? nil : rows.last
                return (try unrecorded.map { try $0.apnsID("id") }, try next?.apnsID("id"))
            }
            guard unrecorded.isEmpty else {
                try await self.sql.run(
                    """
                    INSERT INTO settled_notifications (settled_at, app, notification)
                    SELECT coalesce(
                            (SELECT max(batches.created_at) FROM batches WHERE batches.notification = notifications.id),
                            notifications.created_at
                        ), notifications.app, notifications.id
                    FROM notifications WHERE notifications.id \(each: unrecorded) AND \(SQL.isUnrecorded)
                    ON CONFLICT DO NOTHING
                    """,
                    in: .bulk
                )
                return true
            }
            last = next
        }
        return false
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

    /// Reads the notifications between two IDs, and whether each is settled without a record of that.
    package static func unrecordedSettlements(after start: APNsID, before end: APNsID) -> SQL {
        """
        SELECT id, CASE WHEN \(SQL.isUnrecorded) THEN 1 ELSE 0 END AS is_unrecorded FROM notifications
        WHERE id > \(start) AND id < \(end) ORDER BY id LIMIT \(PruningBudget.notificationsAtOnce)
        """
    }

    /// The scalar subquery makes PostgreSQL look up each notification: few are left, but very many are recorded.
    fileprivate static let isUnrecorded: SQL = """
        NOT \(SQL.isUnsettled) AND (
            SELECT 1 FROM settled_notifications AS settled
            WHERE settled.app = notifications.app AND settled.notification = notifications.id LIMIT 1
        ) IS NULL
        """

    /// Whether a notification may still be sent to targets.
    static let isUnsettled: SQL = """
        (is_open OR \(
            sqlite: "EXISTS (SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7))",
            postgres: "open_batches > 0"
        ))
        """
}

extension SQLRow {
    func apnsID(_ column: String) throws -> APNsID {
        guard let id = APNsID(stored: try self.blob(column)) else { throw StoreError.damaged(column) }
        return id
    }
}
