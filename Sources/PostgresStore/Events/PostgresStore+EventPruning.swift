// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
import PushStore

extension PostgresStore {
    /// Removes old events of all apps; see `EventStore`.
    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        let ends = try await self.read { connection in
            try connection.rows(
                Self.pruningEnds,
                [.integer(time.millisecondsSince1970), .number(max(0, count))]
            ).map { (app: Int64(try $0.number("app")), end: Int64(try $0.number("last"))) }
        }
        var removed = 0
        for (app, end) in ends {
            var step = EventFeed.pruningStep
            while step == EventFeed.pruningStep {
                step = try await self.write { try $0.pruneEvents(ofApp: app, to: end) }
                removed += step
            }
        }
        return removed
    }

    /// The last event of each app that is to go; takes the time and how many are kept.
    ///
    /// The index is walked from its old end to the first event that stays, and from its young one as far as is kept.
    private static let pruningEnds = """
        SELECT ends.app, ends.last FROM (
            SELECT event_feeds.app, greatest(
                coalesce(
                    (
                        SELECT number - 1 FROM events WHERE events.app = event_feeds.app AND time >= $1
                        ORDER BY number LIMIT 1
                    ),
                    (SELECT max(number) FROM events WHERE events.app = event_feeds.app)
                ),
                (
                    SELECT number FROM events WHERE events.app = event_feeds.app
                    ORDER BY number DESC LIMIT 1 OFFSET $2
                )
            ) AS last
            FROM event_feeds
        ) AS ends
        WHERE EXISTS (SELECT FROM events WHERE events.app = ends.app AND events.number <= ends.last)
        """
}

extension PostgresConnection {
    /// Removes some of an app's events, the oldest first.
    ///
    /// Webhooks are locked before the feed, as by those who book what became of a request.
    /// - Returns: how many were removed.
    fileprivate func pruneEvents(ofApp app: Int64, to end: Int64) throws -> Int {
        let row = try self.row(
            """
            SELECT max(number) AS last FROM (
                SELECT number FROM events WHERE app = $1 AND number <= $2 ORDER BY number LIMIT $3
            ) AS oldest
            """,
            [.integer(app), .integer(end), .number(EventFeed.pruningStep)]
        )
        guard let last = try row?.integer("last") else { return 0 }
        let webhooks = try self.webhooks(
            "webhooks.app = $1 AND webhooks.event < $2 ORDER BY webhooks.id FOR UPDATE OF webhooks",
            [.integer(app), .integer(last)]
        )
        for webhook in webhooks { try self.passOver(webhook, app: app, to: last) }
        let removed = try self.queue(
            "DELETE FROM events WHERE app = $1 AND number <= $2",
            [.integer(app), .integer(last)]
        )
        try self.queue(
            "UPDATE event_feeds SET horizon = greatest(horizon, $2) WHERE app = $1",
            [.integer(app), .integer(last)]
        )
        try self.commit()
        return removed.changes
    }

    /// Moves a webhook behind events that are about to go, and counts those that it would have got.
    private func passOver(_ webhook: Webhook, app: Int64, to last: Int64) throws {
        let rows = try self.rows(
            """
            SELECT kind, count(*) AS count FROM events WHERE app = $1 AND number > $2 AND number <= $3 GROUP BY kind
            """,
            [.integer(app), .integer(webhook.cursor.sequence), .integer(last)]
        )
        let lost = try rows.reduce(0) { lost, row in
            let isWanted = webhook.kinds?.contains(EventKind(rawValue: try row.string("kind"))) ?? true
            return isWanted ? lost + (try row.number("count")) : lost
        }
        var webhook = webhook
        webhook.lose(to: EventCursor(sequence: last), count: lost)
        try self.update(webhook)
    }
}
