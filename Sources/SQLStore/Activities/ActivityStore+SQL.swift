// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    // MARK: Tokens

    @discardableResult
    public func keep(_ token: PushToStartToken) async throws -> Bool {
        try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: token.app)
            let supportsChannels = token.supportsChannels ? 1 : 0
            return try transaction.run(
                """
                INSERT INTO push_to_start_tokens (app, attributes_type, installation, environment, token, issued_at,
                    supports_channels)
                VALUES (\(app), \(token.attributesType), \(token.installation), \(token.environment),
                    \(token.token.bytes), \(token.issuedAt), \(supportsChannels))
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
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken] {
        try await self.sql.read { reader in
            guard let number = try reader.number(of: app) else { return [:] }
            let found = try reader.pushToStartTokens(
                of: type,
                app: number,
                appID: app,
                installations: Array(Set(installations))
            )
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
        try await self.sql.writeHandingOver { transaction in
            try transaction.receive(upload, for: activity, of: app, creating: draft, now: now)
        }
    }

    @discardableResult
    public func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool {
        try await self.sql.write { try $0.leave(departure, from: activity, of: app, now: now) }
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
        try await self.sql.writeHandingOver { transaction in
            let receipt = try transaction.create(activity, inviting: installations, rollingOut: rollout, now: now)
            if !plans.isEmpty,
                case .refused(let refusal)? = try transaction.plan(plans, for: activity.id, of: activity.app, now: now)
            {
                // The error rolls the activity back.
                throw refusal
            }
            try transaction.note(receipt, of: activity.app, note)
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
        try await self.sql.writeHandingOver { transaction in
            let receipt = try transaction.invite(installations, rollingOut: rollout, to: activity, of: app, now: now)
            if let receipt { try transaction.note(receipt, of: app, note) }
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
        return try await self.sql.writeHandingOver(in: lane) { transaction in
            let results = try transaction.change(orders, of: app, now: now)
            try transaction.note(results, of: app, note)
            return results
        }
    }

    public func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult] {
        try await self.sql.snapshot { try $0.estimate(orders, of: app, now: now) }
    }

    public func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt {
        try await self.sql.snapshot { try $0.estimateStart(of: activity, on: installations, now: now) }
    }

    @discardableResult
    public func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities {
        // Usually there is none. A read finds that out without locks, and without a wait for other writers.
        let isIdle = try await self.sql.read { reader in
            try reader.first(
                "SELECT 1 FROM activities WHERE ended_at IS NOT NULL AND ended_at < \(time) LIMIT 1"
            ) == nil
        }
        if isIdle { return PrunedActivities() }
        return try await self.sql.write(in: .bulk) { try $0.removeActivities(overBefore: time, limit: limit) }
    }

    // MARK: Transitions

    public func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning? {
        try await self.sql.write { try $0.plan(plans, for: activity, of: app, now: now) }
    }

    public func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]? {
        try await self.sql.write { try $0.withdraw(keys, of: activity, app: app, now: now) }
    }

    public func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.writeHandingOver { transaction in
            try transaction.carryOutTransitions(limit: limit, only: activity, now: now)
        }
    }

    public func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.read { try $0.prepareTransitions(dueAt: instant, after: cursor, limit: limit) }
    }

    public var preparedAtOnce: Int { self.sql.driver.writersAtOnce }

    public func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport {
        try await self.sql.writeHandingOver { try $0.carryOut(prepared, now: now) }
    }

    public func sendOnActivities(now: Date) async throws -> Bool {
        let (marked, isIdle) = try await self.sql.read { reader -> (BatchID?, Bool) in
            // Only PostgreSQL marks batches.
            let marked: SQLRow? =
                switch reader.dialect {
                case .sqlite: nil
                case .postgres: try reader.first("SELECT id FROM batches WHERE needs_relief ORDER BY id LIMIT 1")
                }
            let next = try reader.first("SELECT 1 FROM activities WHERE left_to_send > 0 LIMIT 1")
            return (try marked.flatMap { APNsID(stored: try $0.blob("id")).flatMap(BatchID.init) }, next == nil)
        }
        if let marked {
            try await self.sql.relieveActivities(waitingFor: marked, now: now)
            return true
        }
        if isIdle { return false }
        return try await self.sql.write(in: .bulk) { try $0.sendOnActivities(now: now) }
    }
}

extension ActivityTypeStore where Self: SQLBacked {
    @discardableResult
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: type.app)
            let known: SQLRow? =
                switch transaction.dialect {
                case .sqlite:
                    try transaction.first("SELECT 1 FROM activity_types WHERE app = \(app) AND name = \(type.name)")
                case .postgres: nil
                }
            // PostgreSQL sets `xmax` if the row was there, even if a concurrent transaction added it.
            let row = try transaction.first(
                """
                INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
                VALUES (\(app), \(type.name), \(type.createdAt), \(type.changedAt), \(type.storedContentState),
                    \(type.storedAttributes))
                ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
                    content_state = excluded.content_state, attributes = excluded.attributes
                RETURNING \(sqlite: "1", postgres: "CASE WHEN xmax = 0 THEN 1 ELSE 0 END") AS is_new
                """
            )
            return try known == nil && row?.number("is_new") == 1
        }
    }

    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.sql.read { reader in
            guard let number = try reader.number(of: app) else { return nil }
            return try reader.activityTypes([name], app: number).first
        }
    }

    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.sql.read { reader in
            try reader.rows(
                """
                SELECT activity_types.*, \(app) AS app_id FROM activity_types WHERE app = \(SQL.number(of: app))
                ORDER BY name
                """
            ).mapReadable(in: "activity_types") { try ActivityType(stored: $0) }
        }
    }

    @discardableResult
    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.sql.run("DELETE FROM activity_types WHERE app = \(SQL.number(of: app)) AND name = \(name)") > 0
    }
}
