// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: EventStore {
    /// Appends events in one transaction; see `EventStore`.
    public func append(_ events: [EventDraft]) async throws {
        try await self.write { database, changes in
            for event in events {
                try database.append(event, app: database.requiredNumber(of: event.app), signalling: &changes)
            }
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
        return try await self.read { database in
            guard let number = try database.number(of: app) else {
                let start = cursor ?? .beginning
                return EventPage(events: [], next: start, hasMore: false, oldest: .beginning)
            }
            let oldest = try database.horizon(ofApp: number)
            let start = max(oldest, cursor?.sequence ?? 0)
            let rows = try database.events(ofApp: number, after: start, limit: limit + 1, kinds: kinds)
            let events = try rows.prefix(limit).map { try Event(stored: $0, app: app) }
            var next = events.last?.cursor ?? EventCursor(sequence: start)
            var hasMore = rows.count > limit
            if kinds != nil, !hasMore {
                let seen = try database.scanned(ofApp: number, after: start)
                next = max(next, EventCursor(sequence: seen.last ?? start))
                hasMore = seen.count == EventFeed.maximumScan
            }
            return EventPage(events: events, next: next, hasMore: hasMore, oldest: EventCursor(sequence: oldest))
        }
    }

    /// The newest place of an app's feed; see `EventStore`.
    public func latestEvent(of app: AppID) async throws -> EventCursor {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return .beginning }
            let row = try database.row("SELECT max(number) AS last FROM events WHERE app = ?", [number])
            return EventCursor(sequence: try row?.integer("last") ?? database.horizon(ofApp: number))
        }
    }
}

extension Database {
    /// The last number that was removed of an app's events.
    func horizon(ofApp app: Int64) throws -> Int64 {
        try self.row("SELECT number FROM event_horizons WHERE app = ?", [app])?.int64("number") ?? 0
    }

    fileprivate func events(ofApp app: Int64, after number: Int64, limit: Int, kinds: Set<EventKind>?) throws -> [Row] {
        let own = "SELECT number, time, kind, data FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT"
        guard let kinds else { return try self.rows("\(own) ?", [app, number, limit]) }
        let places = Array(repeating: "?", count: kinds.count).joined(separator: ", ")
        let names: StatementArguments = kinds.sorted().map(\.rawValue)
        return try self.rows(
            "SELECT * FROM (\(own) \(EventFeed.maximumScan)) WHERE kind IN (\(places)) ORDER BY number LIMIT ?",
            [app, number] + names + [limit]
        )
    }

    /// How many events there are to look through for one answer, and the last of them.
    fileprivate func scanned(ofApp app: Int64, after number: Int64) throws -> (count: Int, last: Int64?) {
        let row = try self.row(
            """
            SELECT count(*) AS count, max(number) AS last FROM (
                SELECT number FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT \(EventFeed.maximumScan)
            )
            """,
            [app, number]
        )
        return (try row?.number("count") ?? 0, try row?.integer("last"))
    }
}
