// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: RolloutStore {
    public func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout] {
        try await self.read { database in
            guard let number = try database.activityNumber(activity, of: app) else { return [] }
            return try database.activities.rolloutRows(ofActivity: number).map(\.rollout)
        }
    }

    public func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout] {
        // Most often there is nothing, which a read finds out without waiting for those who write.
        let isIdle = try await self.read { database in
            try database.row(
                "SELECT 1 FROM activity_rollouts WHERE claimable_at <= ? LIMIT 1",
                [now.millisecondsSince1970]
            ) == nil
        }
        if isIdle { return [] }
        let limit = PageLimit.clamp(limit)
        let until = now.lease(of: leaseDuration)
        return try await self.write(in: .bulk) { database in
            try database.activities.claimRollouts(planner: planner, limit: limit, until: until, now: now)
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
            try await self.write(in: .bulk) { try $0.activities.extend(rollout, planner: planner, until: until) }
        }
        return try await self.read { try $0.activities.backlog(of: rollout, planner: planner) }
    }

    public func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        let until = now.lease(of: leaseDuration)
        return try await self.write(in: .bulk) { database, changes in
            try database.activities.rollOut(shard, planner: planner, until: until, now: now, signalling: &changes)
        }
    }

    public func release(
        _ rollout: RolloutID,
        planner: WorkerID,
        as end: RolloutRelease,
        now: Date
    ) async throws {
        try await self.write(in: .bulk) { database, changes in
            try database.activities.release(rollout, planner: planner, as: end, now: now, signalling: &changes)
        }
    }
}

extension ActivitySQL {
    func claimableRolloutRows(limit: Int, now: Date) throws -> [RolloutRow] {
        let found = try self.database.rows(
            "\(RolloutRow.query) WHERE claimable_at <= ? ORDER BY claimable_at LIMIT ?",
            [now.millisecondsSince1970, limit]
        )
        return try found.compactMap { row in
            if let rollout = try row.readable(in: "activity_rollouts", { try RolloutRow(stored: $0) }) {
                return rollout
            }
            // It would be claimed for ever.
            try self.database.run(
                "UPDATE activity_rollouts SET state = ?, claimable_at = NULL, planner = NULL WHERE id = ?",
                [RolloutRow.storedStopped, try row.blob("id")]
            )
            return nil
        }
    }

    func rolloutRow(_ id: RolloutID, isLocked: Bool) throws -> RolloutRow? {
        try self.database.row("\(RolloutRow.query) WHERE activity_rollouts.id = ?", [id.value.stored])
            .map(RolloutRow.init(stored:))
    }

    func rolloutRows(ofActivity number: Int64) throws -> [RolloutRow] {
        try self.database.rows(
            "\(RolloutRow.query) WHERE activity_rollouts.activity = ? ORDER BY activity_rollouts.id",
            [number]
        ).mapReadable(in: "activity_rollouts") { try RolloutRow(stored: $0) }
    }

    func runningRollouts(ofActivities numbers: [Int64]) throws -> [Int64: [RolloutID]] {
        let statement = try self.database.cachedStatement(
            "SELECT id FROM activity_rollouts WHERE activity = ? AND state = 0"
        )
        var rollouts: [Int64: [RolloutID]] = [:]
        for number in numbers {
            let found = try statement.rows([number]) { try RolloutID(stored: $0) }.compactMap(\.self)
            if !found.isEmpty { rollouts[number] = found }
        }
        return rollouts
    }

    func insert(_ row: RolloutRow) throws {
        let rollout = row.rollout
        try self.database.run(
            """
            INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
                audience, progress)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                rollout.id.value.stored, row.activity, row.storedState, rollout.setbacks,
                rollout.createdAt.millisecondsSince1970, rollout.claimableAt?.millisecondsSince1970,
                rollout.throttle, rollout.planner?.rawValue, try row.storedAudience, try row.storedProgress,
            ]
        )
        try self.database.run(
            """
            DELETE FROM activity_rollouts WHERE activity = ?1 AND state > 0 AND id NOT IN (
                SELECT id FROM activity_rollouts WHERE activity = ?1 AND state > 0 ORDER BY id DESC LIMIT ?2
            )
            """,
            [row.activity, ActivityLimit.endedRollouts]
        )
    }

    func update(_ row: RolloutRow) throws {
        try self.database.run(
            "UPDATE activity_rollouts SET state = ?, progress = ? WHERE id = ?",
            [row.storedState, try row.storedProgress, row.rollout.id.value.stored]
        )
        try self.updateLease(row)
    }

    func updateLease(_ row: RolloutRow) throws {
        let rollout = row.rollout
        try self.database.run(
            "UPDATE activity_rollouts SET setbacks = ?, claimable_at = ?, planner = ? WHERE id = ?",
            [
                rollout.setbacks, rollout.claimableAt?.millisecondsSince1970, rollout.planner?.rawValue,
                rollout.id.value.stored,
            ]
        )
    }

    // MARK: Notifications

    func open(_ notification: NotificationID, createdAt: Date, app: Int64) throws {
        try self.database.run(
            """
            INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open)
            VALUES (?, ?, ?, 0, 0, 1)
            """,
            [notification.value.stored, app, createdAt.millisecondsSince1970]
        )
    }

    func append(
        _ batches: [PlannedBatch],
        to notification: NotificationID,
        participants: [BatchID: [Int64]],
        app: Int64,
        signalling changes: inout [StoreChange]
    ) throws {
        for planned in batches { try self.insert(planned, participants, app: app) }
        try self.database.run(
            "UPDATE notifications SET target_count = target_count + ?, batch_count = batch_count + ? WHERE id = ?",
            [batches.reduce(0) { $0 + $1.batch.targets.count }, batches.count, notification.value.stored]
        )
        changes += Set(batches.map(\.batch.lane)).map { .batchReady($0) }
    }

    func close(_ notification: NotificationID, now: Date, signalling changes: inout [StoreChange]) throws {
        try self.database.close(notification, now: now, signalling: &changes)
    }
}
