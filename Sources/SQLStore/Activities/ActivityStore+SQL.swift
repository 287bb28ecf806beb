// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func keep(_ token: PushToStartToken, access: DeviceAccess, now: Date) async throws -> Bool {
        try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: token.app)
            if access.isInstallation {
                try transaction.check(token, app: app, access, now: now)
            }
            return try transaction.run(
                """
                INSERT INTO push_to_start_tokens (app, attributes_type, installation, environment, token, issued_at,
                    supports_channels)
                VALUES (\(app), \(token.attributesType), \(token.installation), \(token.environment),
                    \(token.token), \(token.issuedAt), \(token.supportsChannels ? 1 : 0))
                ON CONFLICT (app, attributes_type, installation) DO UPDATE
                    SET environment = excluded.environment, token = excluded.token, issued_at = excluded.issued_at,
                        supports_channels = excluded.supports_channels
                    WHERE excluded.issued_at >= push_to_start_tokens.issued_at
                """
            ).changes > 0
        }
    }

    public func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [DeviceID]
    ) async throws -> [DeviceID: PushToStartToken] {
        try await self.sql.read { reader in
            guard let number = try reader.number(of: app) else { return [:] }
            return try reader.pushToStartTokens(of: type, app: number, app, Array(Set(installations)))
        }
    }

    public func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedItems {
        // Usually there is none.
        let ended: SQL = "activities WHERE ended_at IS NOT NULL AND ended_at < \(time)"
        guard try await self.sql.finds("SELECT 1 FROM \(ended) LIMIT 1") else { return PrunedItems() }
        return try await self.sql.write(in: .bulk) { transaction in
            // The rows of an activity besides its devices and its timeline: its own row with its index entries, its
            // instants and its transitions.
            let rowsOfActivity = 4
            var rows = min(max(100, limit), 10_000)
            var pruned = PrunedItems()
            // The other columns may be corrupt.
            let found = try transaction.rows(
                """
                SELECT number, entries FROM \(ended) ORDER BY ended_at LIMIT \(rows / rowsOfActivity + 1)\
                \(lock: " FOR UPDATE SKIP LOCKED")
                """
            ).map { (number: try $0.int64("number"), entries: try $0.clampedNumber("entries")) }
            let rollouts = try transaction.rows(
                "SELECT activity, id FROM activity_rollouts WHERE activity \(each: found.map(\.number)) AND state = 0"
            ).mapReadable(in: "activity_rollouts") { row in
                (activity: try row.int64("activity"), id: RolloutID(try row.apnsID("id", of: "rollout")))
            }
            for (number, entries) in found {
                guard rows > 0 else { break }
                rows -= rowsOfActivity + min(max(0, entries), ActivityLimit.timelineEntries)
                let room = max(1, rows)
                let range = ParticipantRowID.range(ofActivity: number)
                let devices = try transaction.run(
                    """
                    DELETE FROM activity_participants WHERE number IN (
                        SELECT number FROM activity_participants
                        WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound) LIMIT \(room)
                    )
                    """
                ).changes
                rows -= devices
                // It may have more devices.
                guard devices < room else { break }
                for rollout in rollouts where rollout.activity == number {
                    transaction.close(rollout.id.notification, now: time)
                }
                try transaction.run("DELETE FROM activities WHERE number = \(number)")
                pruned.count += 1
            }
            pruned.hasMore = rows <= 0
            return pruned
        }
    }

    public func plan(
        _ plans: [NewTransition],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> [ActivityTransition]? {
        try await self.sql.write { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return nil }
            var snapshots = [ActivitySnapshot(row)]
            snapshots[0].schema = try transaction.schemas(for: plans.map(\.change), of: [row])[row.attributesType]
            try transaction.loadPlans(&snapshots)
            return try transaction.apply(.schedule(plans), to: snapshots[0], now: now).writes[0].scheduled
        }
    }

    public func cancelTransitions(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]? {
        try await self.sql.write { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return nil }
            var snapshots = [ActivitySnapshot(row)]
            try transaction.loadPlans(&snapshots)
            let changes = try transaction.apply(.unschedule(keys), to: snapshots[0], now: now)
            return changes.writes[0].plan?.ended.map(\.key) ?? []
        }
    }
}

extension ActivityTypeStore where Self: SQLBacked {
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: type.app)
            let known =
                try transaction.dialect == .postgres
                ? nil : transaction.first("SELECT 1 FROM activity_types WHERE app = \(app) AND name = \(type.name)")
            // PostgreSQL sets `xmax` if the row was there, even if a concurrent transaction added it.
            let row = try transaction.first(
                """
                INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
                VALUES (\(app), \(type.name), \(type.createdAt), \(type.updatedAt), \(type.contentState?.bytes),
                    \(type.attributes?.bytes))
                ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
                    content_state = excluded.content_state, attributes = excluded.attributes
                RETURNING \(sqlite: "1", postgres: "CASE WHEN xmax = 0 THEN 1 ELSE 0 END") AS is_new
                """
            )
            let isNew = try known == nil && row?.number("is_new") == 1
            try transaction.audit(isNew ? .created : .updated, type)
            return isNew
        }
    }

    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.sql.first("\(SQL.activityTypes(of: app)) AND name = \(name)") { try ActivityType(stored: $0) }
    }

    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.sql.list("\(SQL.activityTypes(of: app)) ORDER BY name", in: "activity_types") {
            try ActivityType(stored: $0)
        }
    }

    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.sql.write { transaction in
            let row = try transaction.first("\(SQL.activityTypes(of: app)) AND name = \(name)")
            let removed = try transaction.run(
                "DELETE FROM activity_types WHERE app = \(SQL.number(of: app)) AND name = \(name)"
            )
            guard let row, try removed.changes > 0 else { return false }
            // A corrupt type can be deleted too.
            if let type = try? ActivityType(stored: row) { try transaction.audit(deleted: type) }
            return true
        }
    }
}

enum QuarantinedActivity {
    /// The number of seconds for which corrupt items are not processed.
    static let seconds = 3600.0
}

extension SQLExecutor {
    /// Quarantines a corrupt activity for an hour, and lists it; a newer version may be able to read it.
    func setAside(_ number: Int64, _ error: StoreError, now: Date) throws {
        try self.run(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            SELECT 'activity', \(String(number)), id, app, 0, \(now), \(now),
                \(QuarantinedItem.Reason.unreadable.rawValue)
            FROM activities WHERE number = \(number)
            ON CONFLICT (kind, key) DO UPDATE SET reason = excluded.reason
            """
        )
        try self.removeOldestInterruptions()
        try self.setAside(
            number,
            reason: error.message,
            until: now.addingTimeInterval(QuarantinedActivity.seconds),
            now: now
        )
    }

    /// Quarantines an activity, so that the others are processed.
    ///
    /// Its timeline has one entry for this until it has another entry. It expires when no device shows it.
    func setAside(_ number: Int64, reason: String, until: Date, now: Date) throws {
        var due: SQL = ""
        switch self.dialect {
        case .sqlite:
            due = """
                , due_at = CASE WHEN expires_at <= \(now) THEN NULL WHEN due_at <= \(now) THEN \(until)
                    ELSE due_at END
                """
        case .postgres:
            try self.run(
                """
                DELETE FROM activity_due USING activities
                WHERE activity = \(number) AND activities.number = activity AND expires_at <= \(now)
                """
            )
            try self.run("UPDATE activity_due SET due_at = \(until) WHERE activity = \(number) AND due_at <= \(now)")
        }
        // The time is a new revision; a corrupt revision cannot be incremented.
        try self.run(
            """
            UPDATE activities SET revision = \(now), left_to_send = 0,
                state = CASE WHEN expires_at <= \(now) THEN 3 ELSE state END,
                ended_at = CASE WHEN expires_at <= \(now) THEN expires_at ELSE ended_at END\(due)
            WHERE number = \(number)
            """
        )
        let last = try self.first(
            "SELECT sequence, kind FROM activity_timeline WHERE activity = \(number) ORDER BY sequence DESC LIMIT 1"
        )
        let kind = TimelineEntry.Kind.quarantined.rawValue
        if let last, try last.string("kind") == kind { return }
        let sequence =
            try last.map { last in
                try last.readable(in: "activity_timeline") { try $0.number("sequence", in: StoredLimit.counts) + 1 }
            } ?? 1
        guard let sequence else { return }
        try self.run(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, detail)
            SELECT number, \(sequence), \(now), \(kind), version, 0, \(reason)
            FROM activities WHERE number = \(number)
            """
        )
        try self.run("UPDATE activities SET entries = \(sequence) WHERE number = \(number)")
    }
}
