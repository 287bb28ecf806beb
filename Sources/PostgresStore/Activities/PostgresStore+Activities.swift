// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore: ActivityStore {
    func writeActivities<Value: Sendable>(
        now: Date,
        _ body: @escaping @Sendable (ActivityConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.write { connection, changes in
            let tables = ActivityConnection(connection)
            let value = try body(tables, &changes)
            changes += try tables.finish(now: now)
            return value
        }
    }

    // MARK: Tokens

    @discardableResult
    public func keep(_ token: PushToStartToken) async throws -> Bool {
        try await self.write { connection in
            let app = try connection.lockedNumber(of: token.app)
            let kept = try connection.queue(
                """
                INSERT INTO push_to_start_tokens (app, attributes_type, installation, environment, token, issued_at,
                    supports_channels)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                ON CONFLICT (app, attributes_type, installation) DO UPDATE
                    SET environment = excluded.environment, token = excluded.token, issued_at = excluded.issued_at,
                        supports_channels = excluded.supports_channels
                    WHERE excluded.issued_at >= push_to_start_tokens.issued_at
                """,
                [
                    .integer(app), .text(token.attributesType.rawValue), .text(token.installation.rawValue),
                    .number(token.environment.stored), .bytes(token.token.bytes),
                    .integer(token.issuedAt.millisecondsSince1970), .number(token.supportsChannels ? 1 : 0),
                ]
            )
            try connection.receive()
            return kept.changes > 0
        }
    }

    public func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken] {
        try await self.read { connection in
            guard let number = try connection.number(of: app) else { return [:] }
            let found = try connection.pushToStartTokens(of: type, app: number, installations: installations)
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
        try await self.writeActivities(now: now) { tables, changes in
            try tables.receive(upload, for: activity, of: app, creating: draft, now: now, signalling: &changes)
        }
    }

    @discardableResult
    public func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool {
        try await self.writeActivities(now: now) { tables, changes in
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
        try await self.writeActivities(now: now) { tables, changes in
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
        try await self.writeActivities(now: now) { tables, changes in
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
        try await self.writeActivities(now: now) { tables, changes in
            let results = try tables.change(orders, of: app, now: now, signalling: &changes)
            try tables.note(results, of: app, note)
            return results
        }
    }

    public func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult] {
        try await self.writeActivities(now: now) { tables, changes in
            try tables.change(orders, of: app, isDry: true, now: now, signalling: &changes)
        }
    }

    public func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt {
        try await self.writeActivities(now: now) { tables, _ in
            try tables.estimateStart(of: activity, on: installations, now: now)
        }
    }

    @discardableResult
    public func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities {
        try await self.writeActivities(now: time) { tables, changes in
            try tables.remove(overBefore: time, limit: limit, signalling: &changes)
        }
    }

    // MARK: Transitions

    public func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning? {
        try await self.writeActivities(now: now) { tables, changes in
            try tables.plan(plans, for: activity, of: app, now: now, signalling: &changes)
        }
    }

    public func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]? {
        try await self.writeActivities(now: now) { tables, changes in
            try tables.withdraw(keys, of: activity, app: app, now: now, signalling: &changes)
        }
    }

    public func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        let limit = PageLimit.clamp(limit)
        return try await self.writeActivities(now: now) { tables, changes in
            try tables.carryOutTransitions(limit: limit, only: activity, now: now, signalling: &changes)
        }
    }

    public func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date? {
        try await self.read { connection in
            try connection.row(
                """
                SELECT due_at FROM activity_due WHERE due_at > $1 AND due_at <= $2
                GROUP BY due_at HAVING count(*) >= $3 ORDER BY due_at LIMIT 1
                """,
                [.integer(from.millisecondsSince1970), .integer(until.millisecondsSince1970), .number(count)]
            )?.clampedDate("due_at")
        }
    }

    public func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            try ActivityConnection(connection, isReading: true)
                .prepareTransitions(dueAt: instant, after: cursor, limit: limit)
        }
    }

    /// As many as half of the connections, so that other calls always find one; see `ActivityStore`.
    public var preparedAtOnce: Int { max(1, self.connections / 2) }

    public func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport {
        try await self.writeActivities(now: now) { tables, changes in
            try tables.carryOut(prepared, now: now, signalling: &changes)
        }
    }

    // MARK: Sending on

    /// Sends the newest state on; see `ActivityStore`.
    ///
    /// Phones that wait for what has come to its outcome are looked after first.
    public func sendOnActivities(now: Date) async throws -> Bool {
        let (batch, hasMore) = try await self.read { connection in
            let batch = try connection.row("SELECT id FROM batches WHERE needs_relief ORDER BY id LIMIT 1")
            let more = try connection.row("SELECT 1 FROM activities WHERE left_to_send > 0 LIMIT 1")
            return (try batch.flatMap { APNsID(stored: try $0.blob("id")).flatMap(BatchID.init) }, more != nil)
        }
        if let batch {
            try await self.relieveActivities(waitingFor: batch, now: now)
            return true
        }
        guard hasMore else { return false }
        return try await self.writeActivities(now: now) { tables, changes in
            try tables.sendOnActivities(now: now, signalling: &changes)
        }
    }

    /// Looks after the phones that wait for a batch, and after those that it has not reached.
    ///
    /// Does nothing for a batch that is not marked.
    /// - Throws: `StoreError`; the mark stays then.
    func relieveActivities(waitingFor id: BatchID, now: Date) async throws {
        try await self.writeActivities(now: now) { tables, changes in
            let connection = tables.connection
            let found = try connection.row("SELECT * FROM batches WHERE id = $1 AND needs_relief", [.id(id.value)])
            guard let found else { return }
            guard let batch = try found.readable(in: "batches", { try BatchRow(stored: $0) }) else {
                // Nobody can say who waits for what is damaged beyond repair: the next change goes to everybody.
                try connection.queue("UPDATE batches SET needs_relief = false WHERE id = $1", [.id(id.value)])
                return
            }
            let failures = try tables.failures(of: id, in: 0..<batch.lifecycle.targetCount)
            try tables.relieve(
                batch,
                failures: failures.map { Settlement.Failure(index: $0.key, outcome: $0.value) },
                now: now,
                signalling: &changes
            )
            // What has happened to the batch since has marked it anew, if that was before: then this does no harm, since
            // it is read again before the mark goes.
            try connection.queue(
                """
                UPDATE batches SET needs_relief = false
                WHERE id = $1 AND next_target = $2 AND state = $3 AND deferred IS NOT DISTINCT FROM $4
                """,
                [
                    .id(id.value), .number(batch.lifecycle.cursor), .number(batch.lifecycle.state.number),
                    .bytes(batch.storedDeferred),
                ]
            )
        }
    }
}

extension PostgresStore: ActivityTypeStore {
    @discardableResult
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.write { connection in
            let app = try connection.lockedNumber(of: type.app)
            // A row that was there has been written by another transaction: its `xmax` is set.
            let row = try connection.row(
                """
                INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
                    content_state = excluded.content_state, attributes = excluded.attributes
                RETURNING CASE WHEN xmax = 0 THEN 1::bigint ELSE 0::bigint END AS is_new
                """,
                [
                    .integer(app), .text(type.name.rawValue), .integer(type.createdAt.millisecondsSince1970),
                    .integer(type.changedAt.millisecondsSince1970), .bytes(type.storedContentState),
                    .bytes(type.storedAttributes),
                ]
            )
            return try row?.number("is_new") == 1
        }
    }

    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.read { connection in
            guard let number = try connection.number(of: app) else { return nil }
            return try connection.activityTypes([name], app: number).first
        }
    }

    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.read { connection in
            guard let number = try connection.number(of: app) else { return [] }
            return try connection.rows(
                "SELECT activity_types.*, $2::text AS app_id FROM activity_types WHERE app = $1 ORDER BY name",
                [.integer(number), .text(app.rawValue)]
            ).mapReadable(in: "activity_types") { try ActivityType(stored: $0) }
        }
    }

    @discardableResult
    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.write { connection in
            guard let number = try connection.number(of: app) else { return false }
            let deleted = try connection.queue(
                "DELETE FROM activity_types WHERE app = $1 AND name = $2",
                [.integer(number), .text(name.rawValue)]
            )
            try connection.commit()
            return deleted.changes > 0
        }
    }
}

extension PostgresConnection {
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try self.rows(
            """
            SELECT activity_types.*, apps.id AS app_id FROM activity_types JOIN apps ON apps.number = activity_types.app
            WHERE app = $1 AND activity_types.name = ANY($2::text[])
            """,
            [.integer(app), .texts(names.map(\.rawValue))]
        ).map(ActivityType.init(stored:))
    }
}

extension ActivityConnection {
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try self.connection.activityTypes(names, app: app)
    }

    func channel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.connection.lockedChannel(name, app: app)
    }
}
