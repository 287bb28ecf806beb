// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore {
    /// An activity; see `ActivityStore`.
    public func activity(_ id: ActivityID, of app: AppID) async throws -> Activity? {
        try await self.readSnapshot { connection in
            guard let number = try connection.activityNumber(id, of: app) else { return nil }
            return try connection.activities([number], of: app).first
        }
    }

    /// An app's activities; see `ActivityStore`.
    public func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.readSnapshot { connection in
            guard let number = try connection.number(of: app) else { return Page(elements: [], next: nil) }
            let span = filter.instant
            let rows = try connection.rows(
                """
                SELECT number FROM activities WHERE app = $1 AND number > $2
                    AND ($3::text IS NULL OR attributes_type = $3) AND ($4::bigint IS NULL OR (state >= 2) = ($4 = 1))
                    AND ($5::text IS NULL OR EXISTS (
                        SELECT FROM activity_instants WHERE activity = activities.number AND name = $5
                            AND time >= $6::bigint AND time < $7::bigint
                    ))
                ORDER BY number LIMIT $8
                """,
                [
                    .integer(number), .integer(cursor ?? 0), .text(filter.attributesType?.rawValue),
                    .number(filter.isOver.map { $0 ? 1 : 0 }), .text(span?.name.rawValue),
                    .integer(span?.from.millisecondsSince1970), .integer(span?.until.millisecondsSince1970),
                    .number(limit + 1),
                ]
            )
            let numbers = try rows.map { Int64(try $0.number("number")) }
            let page = Page(overfull: numbers, limit: limit) { $0 }
            let found = try readable(page.elements) { try connection.activities($0, of: app) }
            return Page(elements: found, next: page.next)
        }
    }

    /// The phones of an activity; see `ActivityStore`.
    public func participants(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityParticipant, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            guard let number = try connection.activityNumber(activity, of: app) else {
                return Page(elements: [], next: nil)
            }
            let rows = try connection.participantRows(ofActivity: number, after: cursor ?? 0, limit: limit + 1)
            let page = Page(overfull: rows, limit: limit, cursor: \.number)
            return Page(elements: page.elements.map(\.participant), next: page.next)
        }
    }

    /// What happened to an activity; see `ActivityStore`.
    public func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int> {
        let limit = PageLimit.clamp(limit)
        return try await self.readSnapshot { connection in
            guard let number = try connection.activityNumber(activity, of: app) else {
                return Page(elements: [], next: nil)
            }
            let tables = ActivityConnection(connection, isReading: true)
            return try tables.timeline(ofActivity: number, after: cursor, limit: limit)
        }
    }

    /// The transitions of an activity; see `ActivityStore`.
    public func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition] {
        try await self.read { connection in
            guard let number = try connection.activityNumber(activity, of: app) else { return [] }
            return try connection.rows(
                "SELECT * FROM activity_transitions WHERE activity = $1 ORDER BY key",
                [.integer(number)]
            ).map(ActivityTransition.init(stored:))
        }
    }

    /// When there is next something to do for activities; see `ActivityStore`.
    public func nextActivityTime() async throws -> Date? {
        try await self.read { connection in
            try connection.row("SELECT due_at FROM activity_due ORDER BY due_at LIMIT 1")?.optionalDate("due_at")
        }
    }
}
