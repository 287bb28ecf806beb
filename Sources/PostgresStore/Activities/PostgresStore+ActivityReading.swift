// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore {
    public func activity(_ id: ActivityID, of app: AppID) async throws -> Activity? {
        try await self.readSnapshot { connection in
            guard let number = try connection.activityNumber(id, of: app) else { return nil }
            return try connection.activities([number], of: app).first
        }
    }

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
            let numbers = try rows.map { try $0.int64("number") }
            let page = Page(overfull: numbers, limit: limit) { $0 }
            let found = try readable(page.elements, in: "activities") { try connection.activities($0, of: app) }
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
        return try await self.read { connection in
            guard let number = try connection.activityNumber(activity, of: app) else {
                return Page(elements: [], next: nil)
            }
            let rows = try connection.participantRows(ofActivity: number, after: cursor ?? 0, limit: limit + 1)
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
        return try await self.readSnapshot { connection in
            guard let number = try connection.activityNumber(activity, of: app) else {
                return Page(elements: [], next: nil)
            }
            let tables = ActivityConnection(connection, isReading: true)
            return try tables.timeline(ofActivity: number, after: cursor, limit: limit)
        }
    }

    public func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition] {
        try await self.read { connection in
            guard let number = try connection.activityNumber(activity, of: app) else { return [] }
            return try connection.rows(
                "SELECT * FROM activity_transitions WHERE activity = $1 ORDER BY key",
                [.integer(number)]
            ).mapReadable(in: "activity_transitions") { try ActivityTransition(stored: $0) }
        }
    }

    public func nextActivityTime() async throws -> Date? {
        try await self.read { connection in
            try connection.row("SELECT due_at FROM activity_due ORDER BY due_at LIMIT 1")?.clampedDate("due_at")
        }
    }
}

extension PostgresStore {
    public func phones(of activity: ActivityID, app: AppID) async throws -> ActivityPhones? {
        try await self.readSnapshot { connection in
            guard let number = try connection.activityNumber(activity, of: app),
                let row = try connection.row("SELECT version FROM activities WHERE number = $1", [.integer(number)])
            else { return nil }
            let range = ParticipantNumber.range(ofActivity: number)
            return try connection.row(
                ActivityPhones.query(version: "$1", first: "$2", last: "$3"),
                [.number(try row.number("version")), .integer(range.lowerBound), .integer(range.upperBound)]
            ).map(ActivityPhones.init(stored:))
        }
    }
}

extension PostgresConnection {
    func activityNumber(_ id: ActivityID, of app: AppID) throws -> Int64? {
        try self.row(
            """
            SELECT activities.number FROM activities JOIN apps ON apps.number = activities.app
            WHERE apps.id = $1 AND activities.id = $2
            """,
            [.text(app.rawValue), .text(id.rawValue)]
        )?.integer("number")
    }

    /// Activities with all that belongs to them but their phones, in the order of their numbers.
    func activities(_ numbers: [Int64], of app: AppID) throws -> [Activity] {
        let rows = try self.rows(
            "SELECT activities.*, $2::text AS app_id FROM activities WHERE number = ANY($1::bigint[]) ORDER BY number",
            [.integers(numbers), .text(app.rawValue)]
        )
        let instants = try self.instants(ofActivities: numbers)
        return try rows.map { try Activity(stored: $0, instants: instants[$0.int64("number")] ?? [:]) }
    }

    func instants(ofActivities numbers: [Int64]) throws -> [Int64: [InstantName: Date]] {
        let rows = try self.rows(
            "SELECT activity, name, time FROM activity_instants WHERE activity = ANY($1::bigint[])",
            [.integers(numbers)]
        )
        return try rows.reduce(into: [:]) { instants, row in
            let instant = try row.readable(in: "activity_instants") {
                (try $0.identifier("name", InstantName.self), try $0.date("time"))
            }
            guard let (name, time) = instant else { return }
            instants[try row.int64("activity"), default: [:]][name] = time
        }
    }

    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow] {
        let range = ParticipantNumber.range(ofActivity: number)
        return try self.rows(
            "SELECT * FROM activity_participants WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3",
            [.integer(max(range.lowerBound, place)), .integer(range.upperBound), .number(limit)]
        ).map(ParticipantRow.init(stored:))
    }

    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        installations: [InstallationID]
    ) throws -> [PushToStartToken] {
        let rows = try self.rows(
            """
            SELECT push_to_start_tokens.*, (SELECT id FROM apps WHERE number = $1) AS app_id FROM push_to_start_tokens
            WHERE app = $1 AND attributes_type = $2 AND installation = ANY($3::text[])
            """,
            [.integer(app), .text(type.rawValue), .texts(installations.map(\.rawValue))]
        )
        return try rows.mapReadable(in: "push_to_start_tokens") {
            try PushToStartToken(stored: $0, app: $0.identifier("app_id"))
        }
    }

    /// Queues that somebody looks after the phones of a batch once the transaction has ended: those that wait for what has
    /// come to its outcome, and those that it has not reached.
    ///
    /// Requires that the batch is locked. Does nothing for a batch that is not sent to phones of activities.
    /// - Returns: the answer: whether there is anybody to look after; `nil` when there cannot be.
    /// - Throws: ``PostgresFailure``.
    @discardableResult
    func markForRelief(_ batch: BatchRow, hasFailures: Bool) throws -> PostgresReply? {
        guard batch.isActivity else { return nil }
        return try self.queue(
            """
            UPDATE batches SET needs_relief = true WHERE id = $1
                AND ($2 = 1 OR EXISTS (SELECT FROM activity_waiting WHERE batch = $1 AND position < $3))
            """,
            [.id(batch.id.value), .number(hasFailures ? 1 : 0), .number(batch.endOfRelief)]
        )
    }
}
