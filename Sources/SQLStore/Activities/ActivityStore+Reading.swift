// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func activity(_ id: ActivityID, of app: AppID) async throws -> Activity? {
        try await self.sql.snapshot { reader in
            try reader.activityNumber(id, of: app).flatMap { try reader.activities([$0], of: app).first }
        }
    }

    public func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.snapshot { reader in
            var condition: SQL = "app = \(SQL.number(of: app)) AND number > \(cursor ?? 0)"
            if let type = filter.attributesType { condition = "\(condition) AND attributes_type = \(type)" }
            if let isOver = filter.isOver {
                let state: SQL = isOver ? "state >= 2" : "state < 2"
                condition = "\(condition) AND \(state)"
            }
            if let span = filter.instant { condition = "\(condition) AND \(SQL.hasInstant(span))" }
            let numbers = try reader.rows(
                "SELECT number FROM activities WHERE \(condition) ORDER BY number LIMIT \(limit + 1)"
            ).map { try $0.int64("number") }
            let page = Page(overfull: numbers, limit: limit) { $0 }
            let found = try readable(page.elements, in: "activities") { try reader.activities($0, of: app) }
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
        return try await self.sql.read { reader in
            let rows = try reader.activityNumber(activity, of: app).map {
                try reader.participantRows(ofActivity: $0, after: cursor ?? 0, limit: limit + 1)
            }
            let page = Page(overfull: rows ?? [], limit: limit, cursor: \.number)
            return Page(elements: page.elements.map(\.participant), next: page.next)
        }
    }

    public func participantCounts(of activity: ActivityID, app: AppID) async throws -> ParticipantCounts? {
        try await self.sql.snapshot { reader in
            let row = try reader.first(
                "SELECT number, version FROM activities WHERE app = \(SQL.number(of: app)) AND id = \(activity)"
            )
            guard let row else { return nil }
            let range = ParticipantRowID.range(ofActivity: try row.int64("number"))
            return try reader.first(
                """
                SELECT count(*) FILTER (WHERE state = 0) AS starting, count(*) FILTER (WHERE state = 1) AS active,
                    count(*) FILTER (WHERE state = 2) AS ended,
                    count(*) FILTER (WHERE state = 1 AND sent_version < \(row.number("version"))) AS outdated
                FROM activity_participants WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound)
                    AND origin <> \(ActivityParticipant.Origin.channel.stored)
                """
            ).map { row in
                ParticipantCounts(
                    starting: try row.number("starting"),
                    active: try row.number("active"),
                    ended: try row.number("ended"),
                    outdated: try row.number("outdated")
                )
            }
        }
    }

    public func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int> {
        try await self.sql.snapshot { reader in
            let page = try reader.page(
                """
                SELECT * FROM activity_timeline
                WHERE activity = (\(SQL.activityNumber(activity, of: app))) AND sequence > \(cursor ?? 0)
                ORDER BY sequence
                """,
                in: "activity_timeline",
                limit: limit,
                cursor: { try $0.clampedNumber("sequence") }
            ) { (entry: try TimelineEntry(stored: $0), sends: try StoredPushReferences(stored: $0)) }
            let ids = Set(page.elements.flatMap { $0.sends.ranges.map { $0.batch } })
            let batches = try reader.batchRows(ids.sorted())
            let entries = try page.elements.map { row in
                var entry = row.entry
                entry.sendings = try row.sends.ranges.map { try reader.sending($0, of: batches[$0.batch]) }
                return entry
            }
            return Page(elements: entries, next: page.next)
        }
    }

    public func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition] {
        let number = SQL.activityNumber(activity, of: app)
        return try await self.sql.list(
            "SELECT * FROM activity_transitions WHERE activity = (\(number)) ORDER BY key",
            in: "activity_transitions"
        ) { try ActivityTransition(stored: $0) }
    }

    public func nextActivityTime() async throws -> Date? {
        try await self.sql.first(
            "SELECT due_at FROM \(SQL.activityTimes) WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"
        ) { try $0.clampedDate("due_at") } ?? nil
    }

    public func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date? {
        try await self.sql.read { reader in
            try reader.first(
                """
                SELECT due_at FROM \(SQL.activityTimes) WHERE due_at > \(from) AND due_at <= \(until)
                GROUP BY due_at HAVING count(*) >= \(count) ORDER BY due_at LIMIT 1
                """
            )?.clampedDate("due_at")
        }
    }
}

extension SQLExecutor {
    fileprivate func sending(
        _ range: (batch: BatchID, targets: Range<Int>),
        of batch: BatchRow?
    ) throws -> TimelineEntry.Sending {
        let counts = try batch.map { batch in
            let failures = try self.activityFailures(of: range.batch, in: range.targets)
            let outcomes = BatchOutcomes(lifecycle: batch.lifecycle, failures: failures)
            return range.targets.lazy.compactMap { outcomes.outcome(at: $0) }.reduce(into: OutcomeCounts()) {
                $0.add($1)
            }
        }
        return TimelineEntry.Sending(
            batch: range.batch,
            targets: range.targets,
            notification: batch?.notification,
            counts: counts
        )
    }

    fileprivate func activityNumber(_ id: ActivityID, of app: AppID) throws -> Int64? {
        try self.first(SQL.activityNumber(id, of: app))?.int64("number")
    }
}

extension SQL {
    /// A condition of `activities`: one has an instant within a span.
    static func hasInstant(_ span: ActivityFilter.InstantSpan) -> SQL {
        """
        number IN (
            SELECT activity FROM activity_instants
            WHERE name = \(span.name) AND time >= \(span.from) AND time < \(span.until)
        )
        """
    }

    static func activityNumber(_ id: ActivityID, of app: AppID) -> SQL {
        "SELECT number FROM activities WHERE app = \(SQL.number(of: app)) AND id = \(id)"
    }
}
