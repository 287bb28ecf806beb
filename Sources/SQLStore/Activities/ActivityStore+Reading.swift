// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore {
    public func activity(_ id: ActivityID, of app: AppID) async throws -> Activity? {
        try await self.read { database in
            try database.activityNumber(id, of: app).map { try database.activities.activity($0, of: app) }
        }
    }

    public func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.number(of: app) else { return Page(elements: [], next: nil) }
            var conditions = ["app = ?", "number > ?"]
            var values: StatementArguments = [number, cursor ?? 0]
            if let type = filter.attributesType {
                conditions.append("attributes_type = ?")
                values.append(type.rawValue)
            }
            if let isOver = filter.isOver { conditions.append(isOver ? "state >= 2" : "state < 2") }
            if let span = filter.instant {
                conditions.append(
                    "number IN (SELECT activity FROM activity_instants WHERE name = ? AND time >= ? AND time < ?)"
                )
                values +=
                    [
                        span.name.rawValue, span.from.millisecondsSince1970, span.until.millisecondsSince1970,
                    ] as StatementArguments
            }
            values.append(limit + 1)
            let condition = conditions.joined(separator: " AND ")
            let numbers = try database.rows(
                "SELECT number FROM activities WHERE \(condition) ORDER BY number LIMIT ?",
                values
            ).map { try $0.int64("number") }
            let page = Page(overfull: numbers, limit: limit) { $0 }
            let found = try page.elements.compactMap { number in
                try readable(number, in: "activities") { try database.activities.activity(number, of: app) }
            }
            return Page(elements: found, next: page.next)
        }
    }

    public func participants(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityParticipant, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.activityNumber(activity, of: app) else {
                return Page(elements: [], next: nil)
            }
            let rows = try database.activities.participantRows(
                ofActivity: number,
                after: cursor ?? 0,
                limit: limit + 1
            )
            let page = Page(overfull: rows, limit: limit, cursor: \.number)
            return Page(elements: page.elements.map(\.participant), next: page.next)
        }
    }

    public func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.activityNumber(activity, of: app) else {
                return Page(elements: [], next: nil)
            }
            return try database.activities.timeline(ofActivity: number, after: cursor, limit: limit)
        }
    }

    public func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition] {
        try await self.read { database in
            guard let number = try database.activityNumber(activity, of: app) else { return [] }
            return try database.rows(
                "SELECT * FROM activity_transitions WHERE activity = ? ORDER BY key",
                [number]
            ).mapReadable(in: "activity_transitions") { try ActivityTransition(stored: $0) }
        }
    }

    public func nextActivityTime() async throws -> Date? {
        try await self.read { database in
            let row = try database.row(
                "SELECT due_at FROM activities WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"
            )
            return try row?.clampedDate("due_at")
        }
    }
}

extension Database {
    func activityNumber(_ id: ActivityID, of app: AppID) throws -> Int64? {
        guard let number = try self.number(of: app) else { return nil }
        let row = try self.row("SELECT number FROM activities WHERE app = ? AND id = ?", [number, id.rawValue])
        return try row?.int64("number")
    }
}

extension SQLiteStore {
    public func phones(of activity: ActivityID, app: AppID) async throws -> ActivityPhones? {
        try await self.read { database in
            guard let app = try database.number(of: app),
                let row = try database.row(
                    "SELECT number, version FROM activities WHERE app = ? AND id = ?",
                    [app, activity.rawValue]
                )
            else { return nil }
            let range = ParticipantNumber.range(ofActivity: try row.int64("number"))
            return try database.row(
                ActivityPhones.query(version: "?", first: "?", last: "?"),
                [try row.number("version"), range.lowerBound, range.upperBound]
            ).map(ActivityPhones.init(stored:))
        }
    }
}
