// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLite

extension ActivitySQL {
    func claimableRolloutRows(limit: Int, now: Date) throws -> [RolloutRow] {
        let found = try self.database.rows(
            "\(RolloutRow.query) WHERE claimable_at <= ? ORDER BY claimable_at LIMIT ?",
            [now.millisecondsSince1970, limit]
        )
        return try found.compactMap { row in
            if let rollout = try? RolloutRow(stored: row) { return rollout }
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
        ).map(RolloutRow.init(stored:))
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
