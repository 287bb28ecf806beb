// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
import PushStore
import SQLite

extension SQLiteStore {
    /// Removes old events of all apps; see `EventStore`.
    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        // What is to go is found beside the changes; only the removal itself is one.
        let ends = try await self.read { database in
            try database.rows("SELECT number FROM apps").compactMap { row -> (app: Int64, end: Int64)? in
                let app = try row.int64("number")
                let end = try database.pruningEnd(ofApp: app, before: time, keeping: max(0, count))
                return end.map { (app, $0) }
            }
        }
        var removed = 0
        for (app, end) in ends {
            var step = EventFeed.pruningStep
            while step == EventFeed.pruningStep {
                step = try await self.write(in: .bulk) {
                    try $0.pruneEvents(ofApp: app, to: end, limit: EventFeed.pruningStep)
                }
                removed += step
            }
        }
        return removed
    }
}

extension Database {
    /// The last event of an app that is to go, or `nil`.
    fileprivate func pruningEnd(ofApp app: Int64, before time: Date, keeping count: Int) throws -> Int64? {
        // The index is walked from its old end to the first event that stays.
        let young = try self.row(
            "SELECT number FROM events WHERE app = ? AND time >= ? ORDER BY number LIMIT 1",
            [app, time.millisecondsSince1970]
        )
        let last = try self.row("SELECT max(number) AS number FROM events WHERE app = ?", [app])
        guard let last = try last?.integer("number") else { return nil }
        let byAge = try young?.integer("number").map { $0 - 1 } ?? last
        let surplus = try self.row(
            "SELECT number FROM events WHERE app = ? ORDER BY number DESC LIMIT 1 OFFSET ?",
            [app, count]
        )
        let byCount = try surplus?.integer("number") ?? 0
        let end = max(byAge, byCount)
        let oldest = try self.row("SELECT min(number) AS number FROM events WHERE app = ?", [app])
        guard let first = try oldest?.integer("number"), first <= end else { return nil }
        return end
    }

    /// Removes some of an app's events, the oldest first.
    ///
    /// - Returns: how many were removed.
    fileprivate func pruneEvents(ofApp app: Int64, to end: Int64, limit: Int) throws -> Int {
        let row = try self.row(
            """
            SELECT max(number) AS last FROM (
                SELECT number FROM events WHERE app = ? AND number <= ? ORDER BY number LIMIT ?
            )
            """,
            [app, end, limit]
        )
        guard let last = try row?.integer("last") else { return 0 }
        for webhook in try self.webhooks("webhooks.app = ? AND webhooks.event < ?", [app, last]) {
            try self.passOver(webhook, app: app, to: last)
        }
        let removed = try self.run("DELETE FROM events WHERE app = ? AND number <= ?", [app, last])
        try self.run(
            """
            INSERT INTO event_horizons (app, number) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET number = max(number, excluded.number)
            """,
            [app, last]
        )
        return removed
    }

    /// Moves a webhook behind events that are about to go, and counts those that it would have got.
    private func passOver(_ webhook: Webhook, app: Int64, to last: Int64) throws {
        let rows = try self.rows(
            "SELECT kind, count(*) AS count FROM events WHERE app = ? AND number > ? AND number <= ? GROUP BY kind",
            [app, webhook.cursor.sequence, last]
        )
        let lost = try rows.reduce(0) { lost, row in
            let isWanted = try webhook.kinds?.contains(EventKind(rawValue: row.string("kind"))) ?? true
            return isWanted ? lost + (try row.number("count")) : lost
        }
        var webhook = webhook
        webhook.lose(to: EventCursor(sequence: last), count: lost)
        try self.update(webhook)
    }
}
