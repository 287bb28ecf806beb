// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLite

extension SQLiteStore {
    /// Notes of old notifications that they are settled, where the process that settled them did not.
    ///
    /// What is old and still there is little: most of it was settled later than that. It is read in parts beside the changes.
    /// - Parameter time: those that were accepted before are looked at, in milliseconds since 1970.
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
