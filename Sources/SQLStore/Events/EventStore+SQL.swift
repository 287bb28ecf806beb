// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension EventStore where Self: SQLBacked {
    public func append(_ events: [NewEvent]) async throws {
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
        kinds: Set<EventType>?
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

    public func cursor(of app: AppID, beforeLast count: Int) async throws -> EventCursor {
        let last = try await self.sql.first(
            """
            SELECT coalesce(
                    (
                        SELECT number FROM events WHERE events.app = apps.number
                        ORDER BY number DESC LIMIT 1 OFFSET \(max(0, count))
                    ), \(SQL.horizon)
                ) AS last
            FROM apps \(SQL.feed) WHERE apps.id = \(app)
            """
        ) { try $0.int64("last") }
        return EventCursor(sequence: last ?? 0)
    }

    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        // The last event to remove of each app with such events: those before a time, and all but the last `count`. It
        // steps in the index from the oldest event to the first one that stays, and over as many events as stay.
        let ends = try await self.sql.read { reader in
            try reader.rows(
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
                                ORDER BY number DESC LIMIT 1 OFFSET \(max(0, count))
                            ), 0
                        )
                    ) AS last
                    FROM apps
                )
                SELECT app, last FROM ends
                WHERE EXISTS (SELECT 1 FROM events WHERE events.app = ends.app AND events.number <= ends.last)
                """
            ).map { row in (app: try row.int64("app"), last: try row.int64("last")) }
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

extension SQL {
    /// Joins the row of a feed.
    ///
    /// On SQLite, a feed from which nothing was removed has none.
    fileprivate static let feed: SQL = "LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number"

    /// The last number that was removed of the events of a feed.
    fileprivate static let horizon: SQL = "coalesce(feeds.horizon, 0)"
}

extension SQLTransaction {
    /// Removes some events of an app, the oldest first.
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

/// An event with its data as JSON.
struct StoredEvent: Sendable {
    let app: AppID
    let time: Date
    let kind: EventType

    /// The JSON, or the error that fails the transaction.
    let data: Result<String, any Error>
}

extension StoredEvent {
    init(_ event: NewEvent) {
        self.init(app: event.app, time: event.time, kind: event.kind, data: Result { try event.storedData })
    }

    /// The event `NewEvent.accepted(_:time:)` of each send request, written without a JSON value.
    static func accepted(_ notification: PushModel.Notification) -> StoredEvent {
        let (batches, targets) = (notification.batchCount, notification.targetCount)
        let data = #"{"batches":\#(batches),"notification":"\#(notification.id)","targets":\#(targets)}"#
        return StoredEvent(
            app: notification.app,
            time: notification.createdAt,
            kind: .notificationAccepted,
            data: .success(data)
        )
    }

    /// The event `NewEvent.completed(_:app:counts:time:)` without failures, written without a JSON value.
    static func delivered(_ notification: NotificationID, app: AppID, targets: Int, time: Date) -> StoredEvent {
        let counts = #"{"delivered":\#(targets),"failed":{},"notification":"\#(notification)","rejected":{},"#
        return StoredEvent(
            app: app,
            time: time,
            kind: .notificationCompleted,
            data: .success(#"\#(counts)"targets":\#(targets)}"#)
        )
    }
}

extension SQLTransaction {
    /// Appends events to the feed of an app.
    ///
    /// PostgreSQL draws their numbers under the lock of the feed, which it keeps until the commit. So no event becomes
    /// visible before one with a smaller number.
    func append(_ events: [StoredEvent], app: Int64) throws {
        switch self.dialect {
        case .sqlite:
            for event in events {
                let (kind, data) = (event.kind.rawValue, try event.data.get())
                try self.run(SQLStatement.insertEvent([.integer(app), .time(event.time), .text(kind), .text(data)]))
            }
        case .postgres:
            let entries = try SQLRows(
                "entry",
                events,
                ["time": { .time($0.time) }, "kind": { .text($0.kind.rawValue) }, "data": { .text(try $0.data.get()) }]
            )
            // A feed is locked until a commit of another process is durable, which may take longer than a brief wait.
            let setting: SQL = "set_config('lock_timeout', current_setting('apus.lock_timeout'), true)"
            let waits: SQL = self.waitsBriefly ? " AND \(setting) IS NOT NULL" : ""
            try self.run(
                """
                WITH feed AS MATERIALIZED (SELECT app FROM event_feeds WHERE app = \(app)\(waits) FOR UPDATE)
                INSERT INTO events (app, number, time, kind, data)
                SELECT feed.app, nextval('event_numbers'), new.time, new.kind, new.data
                FROM feed CROSS JOIN (
                    SELECT entry.*\(" FROM ", entries) ORDER BY \(entries["position"])
                ) AS new
                """
            )
        }
    }
}

extension SQLStatement {
    fileprivate static let insertEvent = SQLStatement(
        "INSERT INTO events (app, time, kind, data) VALUES ($1, $2, $3, $4)"
    )
}
