// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
public import PushStore

extension EventStore where Self: SQLBacked {
    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        let ends = try await self.sql.read { reader in
            try reader.rows(SQL.ends(ofEventsBefore: time, keeping: max(0, count))).map { row in
                (app: try row.int64("app"), last: try row.int64("last"))
            }
        }
        var removed = 0
        for (app, last) in ends {
            var step = EventFeed.pruningStep
            while step == EventFeed.pruningStep {
                step = try await self.sql.write(in: .bulk) { try $0.pruneEvents(ofApp: app, through: last) }
                removed += step
            }
        }
        return removed
    }
}

extension SQLTransaction {
    /// Removes some events of an app, the oldest first.
    ///
    /// - Returns: the number of removed events.
    fileprivate func pruneEvents(ofApp app: Int64, through end: Int64) throws -> Int {
        let row = try self.first(
            """
            SELECT max(number) AS last FROM (
                SELECT number FROM events WHERE app = \(app) AND number <= \(end)
                ORDER BY number LIMIT \(EventFeed.pruningStep)
            ) AS oldest
            """
        )
        guard let last = try row?.integer("last") else { return 0 }
        try self.moveWebhooks(ofApp: app, pastEvent: last)
        let removed = try self.run("DELETE FROM events WHERE app = \(app) AND number <= \(last)")
        switch self.dialect {
        case .sqlite:
            try self.run(
                """
                INSERT INTO event_feeds (app, horizon) VALUES (\(app), \(last))
                ON CONFLICT (app) DO UPDATE SET horizon = max(horizon, excluded.horizon)
                """
            )
        case .postgres:
            // Another transaction may have removed the app with its feed.
            try self.run("UPDATE event_feeds SET horizon = greatest(horizon, \(last)) WHERE app = \(app)")
        }
        try self.commit()
        return try removed.changes
    }
}

extension SQL {
    /// The last event to remove of each app with such events: those before a time, and all but the last `count`.
    ///
    /// It steps in the index from the oldest event to the first one that stays, and over as many events as stay.
    fileprivate static func ends(ofEventsBefore time: Date, keeping count: Int) -> SQL {
        """
        WITH ends AS MATERIALIZED (
            SELECT apps.number AS app, \(SQL.greatest)(
                coalesce(
                    (
                        SELECT CASE WHEN number > 0 THEN number - 1 ELSE -1 END FROM events
                        WHERE events.app = apps.number AND time >= \(time) ORDER BY number LIMIT 1
                    ),
                    (SELECT max(number) FROM events WHERE events.app = apps.number), 0
                ),
                coalesce(
                    (
                        SELECT number FROM events WHERE events.app = apps.number
                        ORDER BY number DESC LIMIT 1 OFFSET \(count)
                    ), 0
                )
            ) AS last
            FROM apps
        )
        SELECT app, last FROM ends
        WHERE EXISTS (SELECT 1 FROM events WHERE events.app = ends.app AND events.number <= ends.last)
        """
    }
}
