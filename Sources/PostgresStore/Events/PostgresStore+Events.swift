// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import PushModel
public import PushStore
import SQLStore

extension PostgresStore: EventStore {
    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        let ends = try await self.read { connection in
            try connection.rows(
                Self.pruningEnds,
                [.integer(time.millisecondsSince1970), .number(max(0, count))]
            ).map { (app: try $0.int64("app"), end: try $0.int64("last")) }
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
                        SELECT greatest(0, number) - 1 FROM events WHERE events.app = event_feeds.app AND time >= $1
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
        try self.moveWebhooks(ofApp: app, pastEvent: last)
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
}

/// The events that a transaction appends as its last act before it commits.
struct FeedNews {
    private var drafts: [Int64: [EventDraft]] = [:]

    mutating func add(_ event: EventDraft, app: Int64) {
        self.drafts[app, default: []].append(event)
    }

    /// Adds what became of a campaign; nothing when its state is the same.
    mutating func add(_ row: CampaignRow, from former: CampaignState?, app: Int64, now: Date) {
        let event = EventDraft.campaign(row.campaign, row.lifecycle, from: former, time: now)
        if let event { self.add(event, app: app) }
    }

    /// The events by apps, which are in the order in which their feeds are locked.
    fileprivate var feeds: [(app: Int64, events: [EventDraft])] {
        self.drafts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension PostgresConnection {
    /// Queues that events are appended to their apps' feeds.
    ///
    /// Nothing but the commit comes behind it: others that append to the same feed wait for that.
    /// - Returns: what subscribers are told, behind what the events tell of.
    func append(_ news: FeedNews) throws -> [StoreChange] {
        var changes: [StoreChange] = []
        for (app, events) in news.feeds {
            try self.append(events, app: app)
            for event in events { changes.tellOfEvents(event.app) }
        }
        return changes
    }

    /// Queues that events are appended to the feed of an app.
    func append(_ events: [EventDraft], app: Int64) throws {
        try self.queue(
            Self.appendQuery,
            [
                .integer(app), .integers(events.map(\.time.millisecondsSince1970)),
                .texts(events.map(\.kind.rawValue)), .texts(try events.map { try $0.storedData }),
            ]
        )
    }

    /// Appends events and ends the transaction.
    ///
    /// - Returns: what subscribers are told.
    func commit(_ news: FeedNews) throws -> [StoreChange] {
        let changes = try self.append(news)
        try self.commit()
        return changes
    }

    /// Takes the app, and the times, kinds and data of events.
    private static let appendQuery = """
        WITH feed AS MATERIALIZED (SELECT app FROM event_feeds WHERE app = $1 FOR UPDATE)
        INSERT INTO events (app, number, time, kind, data)
        SELECT feed.app, nextval('event_numbers'), told.time, told.kind, told.data
        FROM feed CROSS JOIN (
            SELECT * FROM unnest($2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY AS entry (time, kind, data, place)
            ORDER BY place
        ) AS told
        """
}
