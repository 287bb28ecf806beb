// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: ActivityStore {
    // MARK: Tokens

    @discardableResult
    public func keep(_ token: PushToStartToken) async throws -> Bool {
        try await self.write { database in
            let app = try database.requiredNumber(of: token.app)
            return try database.run(
                """
                INSERT INTO push_to_start_tokens (app, attributes_type, installation, environment, token, issued_at,
                    supports_channels)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (app, attributes_type, installation) DO UPDATE
                    SET environment = excluded.environment, token = excluded.token, issued_at = excluded.issued_at,
                        supports_channels = excluded.supports_channels
                    WHERE excluded.issued_at >= issued_at
                """,
                [
                    app, token.attributesType.rawValue, token.installation.rawValue, token.environment.stored,
                    token.token.bytes, token.issuedAt.millisecondsSince1970, token.supportsChannels ? 1 : 0,
                ]
            ) > 0
        }
    }

    public func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [:] }
            let found = try database.activities.pushToStartTokens(of: type, app: number, installations: installations)
            return Dictionary(found.map { ($0.installation, $0) }) { first, _ in first }
        }
    }

    public func receive(
        _ upload: ActivityTokenUpload,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityReceipt? {
        try await self.writeActivities { tables, changes in
            try tables.receive(
                upload,
                for: activity,
                of: app,
                creating: draft,
                now: now,
                signalling: &changes
            )
        }
    }

    @discardableResult
    public func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool {
        try await self.writeActivities { tables, changes in
            try tables.leave(departure, from: activity, of: app, now: now, signalling: &changes)
        }
    }

    // MARK: Changes

    public func createActivity(
        _ activity: Activity,
        inviting installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [TransitionPlan],
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt {
        try await self.writeActivities { tables, changes in
            let receipt = try tables.create(
                activity,
                inviting: installations,
                rollingOut: rollout,
                planning: plans,
                now: now,
                signalling: &changes
            )
            try tables.note(receipt, of: activity.app, note)
            return receipt
        }
    }

    public func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: ActivityID,
        of app: AppID,
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt? {
        try await self.writeActivities { tables, changes in
            let receipt = try tables.invite(
                installations,
                rollingOut: rollout,
                to: activity,
                of: app,
                now: now,
                signalling: &changes
            )
            if let receipt { try tables.note(receipt, of: app, note) }
            return receipt
        }
    }

    public func change(
        _ orders: [ActivityOrder],
        of app: AppID,
        now: Date,
        noting note: AnswerNote<[ActivityResult]>?
    ) async throws -> [ActivityResult] {
        let lane: Lane = orders.count <= ActivityLimit.urgentPushes ? .urgent : .bulk
        return try await self.writeActivities(in: lane) { tables, changes in
            let results = try tables.change(orders, of: app, now: now, signalling: &changes)
            try tables.note(results, of: app, note)
            return results
        }
    }

    public func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult] {
        try await self.read { database in
            var changes: [StoreChange] = []
            return try database.activities.change(orders, of: app, isDry: true, now: now, signalling: &changes)
        }
    }

    public func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt {
        try await self.read { try $0.activities.estimateStart(of: activity, on: installations, now: now) }
    }

    @discardableResult
    public func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities {
        // Most often there is nothing, which a read finds out without waiting for those who write.
        let isIdle = try await self.read { database in
            try database.row(
                "SELECT 1 FROM activities WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT 1",
                [time.millisecondsSince1970]
            ) == nil
        }
        if isIdle { return PrunedActivities() }
        return try await self.write(in: .bulk) { database, changes in
            try database.activities.remove(overBefore: time, limit: limit, signalling: &changes)
        }
    }

    // MARK: Transitions

    public func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning? {
        try await self.write { database, changes in
            try database.activities.plan(plans, for: activity, of: app, now: now, signalling: &changes)
        }
    }

    public func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]? {
        try await self.write { database, changes in
            try database.activities.withdraw(keys, of: activity, app: app, now: now, signalling: &changes)
        }
    }

    public func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        let limit = PageLimit.clamp(limit)
        return try await self.writeActivities { tables, changes in
            try tables.carryOutTransitions(limit: limit, only: activity, now: now, signalling: &changes)
        }
    }

    public func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date? {
        try await self.read { database in
            let row = try database.row(
                """
                SELECT due_at FROM activities WHERE due_at > ? AND due_at <= ?
                GROUP BY due_at HAVING count(*) >= ? ORDER BY due_at LIMIT 1
                """,
                [from.millisecondsSince1970, until.millisecondsSince1970, count]
            )
            return try row?.clampedDate("due_at")
        }
    }

    public func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            try database.activities.prepareTransitions(dueAt: instant, after: cursor, limit: limit)
        }
    }

    /// One, since one transaction writes at a time; see `ActivityStore`.
    public var preparedAtOnce: Int { 1 }

    public func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport {
        try await self.writeActivities { tables, changes in
            try tables.carryOut(prepared, now: now, signalling: &changes)
        }
    }

    public func sendOnActivities(now: Date) async throws -> Bool {
        let isIdle = try await self.read { database in
            try database.row("SELECT 1 FROM activities WHERE left_to_send > 0 LIMIT 1") == nil
        }
        if isIdle { return false }
        return try await self.write(in: .bulk) { database, changes in
            try database.activities.sendOnActivities(now: now, signalling: &changes)
        }
    }
}

extension SQLiteStore: ActivityTypeStore {
    @discardableResult
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.write { database in
            let app = try database.requiredNumber(of: type.app)
            let known = try database.row(
                "SELECT 1 FROM activity_types WHERE app = ? AND name = ?",
                [app, type.name.rawValue]
            )
            try database.run(
                """
                INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
                    content_state = excluded.content_state, attributes = excluded.attributes
                """,
                [
                    app, type.name.rawValue, type.createdAt.millisecondsSince1970, type.changedAt.millisecondsSince1970,
                    type.storedContentState, type.storedAttributes,
                ]
            )
            return known == nil
        }
    }

    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return nil }
            return try database.activities.activityTypes([name], app: number).first
        }
    }

    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            return try database.rows(
                "SELECT activity_types.*, ? AS app_id FROM activity_types WHERE app = ? ORDER BY name",
                [app.rawValue, number]
            ).mapReadable(in: "activity_types") { try ActivityType(stored: $0) }
        }
    }

    @discardableResult
    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: app) else { return false }
            return try database.run(
                "DELETE FROM activity_types WHERE app = ? AND name = ?",
                [number, name.rawValue]
            ) > 0
        }
    }
}

extension ActivitySQL {
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try names.compactMap { name in
            try self.database.row(
                """
                SELECT activity_types.*, apps.id AS app_id
                FROM activity_types CROSS JOIN apps ON apps.number = activity_types.app
                WHERE app = ? AND activity_types.name = ?
                """,
                [app, name.rawValue]
            ).map(ActivityType.init(stored:))
        }
    }
}
