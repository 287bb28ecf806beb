// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

extension EventStore where Self: SQLBacked {
    public func append(_ events: [EventDraft]) async throws {
        try await self.sql.write { transaction in
            var apps: [AppID: Int64] = [:]
            for event in events {
                let app = try apps[event.app] ?? transaction.lockedNumber(of: event.app)
                apps[event.app] = app
                transaction.append(event, app: app)
            }
        }
    }

    public func events(
        of app: AppID,
        after cursor: EventCursor?,
        limit: Int,
        kinds: Set<EventKind>?
    ) async throws -> EventPage {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.snapshot { reader in
            let feed = try reader.first(
                """
                SELECT apps.number AS app, \(SQL.horizon) AS horizon FROM apps \(SQL.feed) WHERE apps.id = \(app)
                """
            )
            guard let feed else {
                return EventPage(events: [], next: cursor ?? .beginning, hasMore: false, oldest: .beginning)
            }
            let number = try feed.int64("app")
            let oldest = try feed.int64("horizon")
            let start = max(oldest, cursor?.sequence ?? 0)
            let following: SQL = "FROM events WHERE app = \(number) AND number > \(start) ORDER BY number LIMIT"
            let found: any SQLResult
            var scanned: (any SQLResult)?
            if let kinds {
                let scan: SQL = "SELECT number, time, kind, data \(following) \(EventFeed.maximumScan)"
                found = try reader.run(
                    """
                    SELECT * FROM (\(scan)) AS scanned WHERE kind \(in: kinds.map(\.rawValue).sorted())
                    ORDER BY number LIMIT \(limit + 1)
                    """
                )
                // PostgreSQL sends it in the same round trip. SQLite executes it only if the page is not full.
                if try reader.dialect == .postgres || found.rows.count <= limit {
                    scanned = try reader.run(
                        """
                        SELECT count(*) AS count, max(number) AS last
                        FROM (SELECT number \(following) \(EventFeed.maximumScan)) AS scanned
                        """
                    )
                }
            } else {
                found = try reader.run("SELECT number, time, kind, data \(following) \(limit + 1)")
            }
            try reader.commit()
            let rows = try found.rows
            let events = try rows.prefix(limit).mapReadable(in: "events") { try Event(stored: $0, app: app) }
            var next = EventCursor(sequence: try rows.prefix(limit).last?.int64("number") ?? start)
            var hasMore = rows.count > limit
            if let seen = try scanned?.rows.first, !hasMore {
                next = max(next, EventCursor(sequence: try seen.integer("last") ?? start))
                hasMore = try seen.number("count") == EventFeed.maximumScan
            }
            return EventPage(events: events, next: next, hasMore: hasMore, oldest: EventCursor(sequence: oldest))
        }
    }

    public func latestEvent(of app: AppID) async throws -> EventCursor {
        try await self.sql.read { reader in
            let row = try reader.first(
                """
                SELECT coalesce((SELECT max(number) FROM events WHERE events.app = apps.number), \(SQL.horizon)) AS last
                FROM apps \(SQL.feed) WHERE apps.id = \(app)
                """
            )
            return EventCursor(sequence: try row?.int64("last") ?? 0)
        }
    }
}

extension SQL {
    /// Joins the row of a feed.
    ///
    /// On SQLite, a feed from which nothing was removed has none.
    fileprivate static let feed: SQL = "LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number"

    /// The last number that was removed of the events of a feed.
    fileprivate static let horizon: SQL = "coalesce(feeds.horizon, 0)"
}
