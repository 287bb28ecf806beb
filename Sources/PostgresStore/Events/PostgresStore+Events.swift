// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore

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
