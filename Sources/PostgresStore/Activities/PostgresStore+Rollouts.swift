// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: RolloutStore {
    public func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout] {
        try await self.read { connection in
            guard let number = try connection.activityNumber(activity, of: app) else { return [] }
            return try ActivityConnection(connection, isReading: true).rolloutRows(ofActivity: number).map(\.rollout)
        }
    }

    public func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout] {
        // Most often there is nothing, which a read finds out without a transaction.
        let isIdle = try await self.read { connection in
            try connection.row(
                "SELECT 1 FROM activity_rollouts WHERE claimable_at <= $1 LIMIT 1",
                [.integer(now.millisecondsSince1970)]
            ) == nil
        }
        if isIdle { return [] }
        let limit = PageLimit.clamp(limit)
        let until = now.lease(of: leaseDuration)
        return try await self.writeActivities(now: now) { tables, _ in
            try tables.claimRollouts(planner: planner, limit: limit, until: until, now: now)
        }
    }

    public func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog {
        if let leaseDuration {
            let until = now.lease(of: leaseDuration)
            try await self.writeActivities(now: now) { tables, _ in
                try tables.extend(rollout, planner: planner, until: until)
            }
        }
        return try await self.readSnapshot { connection in
            try ActivityConnection(connection, isReading: true).backlog(of: rollout, planner: planner)
        }
    }

    public func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        let until = now.lease(of: leaseDuration)
        return try await self.writeActivities(now: now) { tables, changes in
            try tables.rollOut(shard, planner: planner, until: until, now: now, signalling: &changes)
        }
    }

    public func release(
        _ rollout: RolloutID,
        planner: WorkerID?,
        as end: RolloutRelease,
        now: Date
    ) async throws {
        try await self.writeActivities(now: now) { tables, changes in
            try tables.release(rollout, planner: planner, as: end, now: now, signalling: &changes)
        }
    }
}

extension ActivityConnection {
    func claimableRolloutRows(limit: Int, now: Date) throws -> [RolloutRow] {
        let found = try self.connection.rows(
            """
            \(RolloutRow.query) WHERE claimable_at <= $1 ORDER BY claimable_at LIMIT $2
            FOR UPDATE OF activity_rollouts SKIP LOCKED
            """,
            [.integer(now.millisecondsSince1970), .number(limit)]
        )
        return try found.compactMap { row in
            if let rollout = try row.readable(in: "activity_rollouts", { try RolloutRow(stored: $0) }) {
                return rollout
            }
            // It would be claimed for ever.
            guard let id = try RolloutID(stored: row) else { return nil }
            try self.connection.queue(
                "UPDATE activity_rollouts SET state = $2, claimable_at = NULL, planner = NULL WHERE id = $1",
                [.id(id.value), .number(RolloutRow.storedStopped)]
            )
            return nil
        }
    }

    func rolloutRow(_ id: RolloutID, isLocked: Bool) throws -> RolloutRow? {
        try self.connection.row(
            """
            \(RolloutRow.query) WHERE activity_rollouts.id = $1 \(isLocked ? "FOR UPDATE OF activity_rollouts" : "")
            """,
            [.id(id.value)]
        ).map(RolloutRow.init(stored:))
    }

    func rolloutRows(ofActivity number: Int64) throws -> [RolloutRow] {
        try self.connection.rows(
            "\(RolloutRow.query) WHERE activity_rollouts.activity = $1 ORDER BY activity_rollouts.id",
            [.integer(number)]
        ).mapReadable(in: "activity_rollouts") { try RolloutRow(stored: $0) }
    }

    func runningRollouts(ofActivities numbers: [Int64]) throws -> [Int64: [RolloutID]] {
        let rows = try self.connection.rows(
            "SELECT activity, id FROM activity_rollouts WHERE activity = ANY($1::bigint[]) AND state = 0",
            [.integers(numbers)]
        )
        return try rows.reduce(into: [:]) { rollouts, row in
            guard let id = try RolloutID(stored: row) else { return }
            rollouts[try row.int64("activity"), default: []].append(id)
        }
    }

    func insert(_ row: RolloutRow) throws {
        let rollout = row.rollout
        try self.connection.queue(
            """
            INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
                audience, progress)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .id(rollout.id.value), .integer(row.activity), .number(row.storedState), .number(rollout.setbacks),
                .integer(rollout.createdAt.millisecondsSince1970),
                .integer(rollout.claimableAt?.millisecondsSince1970), .number(rollout.throttle),
                .text(rollout.planner?.rawValue), .text(try row.storedAudience), .text(try row.storedProgress),
            ]
        )
        try self.connection.queue(
            """
            DELETE FROM activity_rollouts WHERE activity = $1 AND state > 0 AND id NOT IN (
                SELECT id FROM activity_rollouts WHERE activity = $1 AND state > 0 ORDER BY id DESC LIMIT $2
            )
            """,
            [.integer(row.activity), .number(ActivityLimit.endedRollouts)]
        )
    }

    func update(_ row: RolloutRow) throws {
        try self.connection.queue(
            "UPDATE activity_rollouts SET state = $2, progress = $3 WHERE id = $1",
            [.id(row.rollout.id.value), .number(row.storedState), .text(try row.storedProgress)]
        )
        try self.updateLease(row)
    }

    func updateLease(_ row: RolloutRow) throws {
        let rollout = row.rollout
        try self.connection.queue(
            "UPDATE activity_rollouts SET setbacks = $2, claimable_at = $3, planner = $4 WHERE id = $1",
            [
                .id(rollout.id.value), .number(rollout.setbacks),
                .integer(rollout.claimableAt?.millisecondsSince1970), .text(rollout.planner?.rawValue),
            ]
        )
    }

    // MARK: Notifications

    func open(_ notification: NotificationID, createdAt: Date, app: Int64) throws {
        try self.connection.queue(
            """
            INSERT INTO notifications (id, app, created_at, target_count, batch_count, open_batches, is_open)
            VALUES ($1, $2, $3, 0, 0, 0, true)
            """,
            [.id(notification.value), .integer(app), .integer(createdAt.millisecondsSince1970)]
        )
    }

    func append(
        _ batches: [PlannedBatch],
        to notification: NotificationID,
        participants: [BatchID: [Int64]],
        app: Int64,
        signalling changes: inout [StoreChange]
    ) throws {
        try self.insert(batches, participants, app: app, signalling: &changes)
        try self.connection.queue(
            """
            UPDATE notifications SET target_count = target_count + $2, batch_count = batch_count + $3,
                open_batches = open_batches + $3 WHERE id = $1
            """,
            [
                .id(notification.value), .number(batches.reduce(0) { $0 + $1.batch.targets.count }),
                .number(batches.count),
            ]
        )
    }

    /// Closed at the end: those who count off batches wait for the commit from then on.
    func close(_ notification: NotificationID, now: Date, signalling changes: inout [StoreChange]) throws {
        self.closed.append(notification)
    }
}
