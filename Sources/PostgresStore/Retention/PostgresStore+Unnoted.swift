// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension PostgresStore {
    /// Notes of old notifications that they are settled, where the process that settled them did not.
    ///
    /// What is old and still there is little: most of it was settled later than that.
    /// - Parameter time: those that were accepted before are looked at.
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
