// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension PostgresStore: EventStore {
    /// Appends events in one transaction; see `EventStore`.
    public func append(_ events: [EventDraft]) async throws {
        try await self.write { connection, changes in
            var news = FeedNews()
            var apps: [AppID: Int64] = [:]
            for event in events {
                let app = try apps[event.app] ?? connection.lockedNumber(of: event.app)
                apps[event.app] = app
                news.add(event, app: app)
            }
            changes = try connection.commit(news)
        }
    }

    /// A part of an app's feed; see `EventStore`.
    public func events(
        of app: AppID,
        after cursor: EventCursor?,
        limit: Int,
        kinds: Set<EventKind>?
    ) async throws -> EventPage {
        let limit = PageLimit.clamp(limit)
        return try await self.readSnapshot { connection in
            guard let feed = try connection.feed(of: app) else {
                return EventPage(events: [], next: cursor ?? .beginning, hasMore: false, oldest: .beginning)
            }
            let start = max(feed.horizon, cursor?.sequence ?? 0)
            let values: [PostgresValue] = [.integer(feed.app), .integer(start), .number(limit + 1)]
            let found: PostgresReply
            var scanned: PostgresReply?
            if let kinds {
                let names = PostgresValue.texts(kinds.map(\.rawValue))
                found = try connection.queue(
                    "SELECT * FROM (\(Self.scan)) AS scanned WHERE kind = ANY($4::text[]) ORDER BY number LIMIT $3",
                    values + [names]
                )
                scanned = try connection.queue(
                    "SELECT count(*) AS count, max(number) AS last FROM (\(Self.scan)) AS scanned",
                    Array(values.prefix(2))
                )
            } else {
                found = try connection.queue(
                    "SELECT * FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3",
                    values
                )
            }
            try connection.commit()
            let rows = found.rows
            let events = try rows.prefix(limit).map { try Event(stored: $0, app: app) }
            var next = events.last?.cursor ?? EventCursor(sequence: start)
            var hasMore = rows.count > limit
            if let seen = scanned?.rows.first, !hasMore {
                next = max(next, EventCursor(sequence: try seen.integer("last") ?? start))
                hasMore = try seen.number("count") == EventFeed.maximumScan
            }
            return EventPage(
                events: events,
                next: next,
                hasMore: hasMore,
                oldest: EventCursor(sequence: feed.horizon)
            )
        }
    }

    /// The newest place of an app's feed; see `EventStore`.
    public func latestEvent(of app: AppID) async throws -> EventCursor {
        try await self.read { connection in
            let row = try connection.row(
                """
                SELECT coalesce((SELECT max(events.number) FROM events WHERE events.app = event_feeds.app), horizon) AS last
                FROM event_feeds JOIN apps ON apps.number = event_feeds.app WHERE apps.id = $1
                """,
                [.text(app.rawValue)]
            )
            return EventCursor(sequence: try row?.integer("last") ?? 0)
        }
    }

    /// The events that are looked through for one answer; takes the app and behind which event to begin.
    private static let scan = """
        SELECT * FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT \(EventFeed.maximumScan)
        """
}

extension PostgresConnection {
    /// An app's number, and the last number that was removed of its events; `nil` when there is no such app.
    fileprivate func feed(of app: AppID) throws -> (app: Int64, horizon: Int64)? {
        let row = try self.row(
            """
            SELECT event_feeds.* FROM event_feeds JOIN apps ON apps.number = event_feeds.app WHERE apps.id = $1
            """,
            [.text(app.rawValue)]
        )
        return try row.map { (Int64(try $0.number("app")), Int64(try $0.number("horizon"))) }
    }
}
