// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension RolloutStore where Self: SQLBacked {
    public func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout] {
        let number = SQL.activityNumber(activity, of: app)
        return try await self.sql.list(
            "\(SQL.rollouts) WHERE activity_rollouts.activity = (\(number)) ORDER BY activity_rollouts.id",
            in: "activity_rollouts"
        ) { try StoredRollout(stored: $0).rollout }
    }

    public func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [StoredRollout] {
        // Usually there is none.
        let claimable: SQL = "SELECT 1 FROM activity_rollouts WHERE claimable_at <= \(now) LIMIT 1"
        guard try await self.sql.finds(claimable) else { return [] }
        let limit = PageLimit.clamp(limit)
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(in: .bulk) { transaction in
            // Other transactions get others.
            let found = try transaction.rows(
                """
                \(SQL.rollouts) WHERE claimable_at <= \(now) ORDER BY claimable_at LIMIT \(limit)\
                \(lock: " FOR UPDATE OF activity_rollouts SKIP LOCKED")
                """
            )
            return try found.compactMap { row -> StoredRollout? in
                guard var found = try row.readable(in: "activity_rollouts", { try StoredRollout(stored: $0) }) else {
                    // It is stopped, because it would be claimed again and again.
                    try transaction.run(
                        """
                        UPDATE activity_rollouts SET state = 2, claimable_at = NULL, planner = NULL
                        WHERE id = \(SQLValue(key: row.blob("id")))
                        """
                    )
                    return nil
                }
                guard found.rollout.claim(by: planner, until: until, now: now) else { return nil }
                try transaction.update(found.rollout, now: now)
                return found
            }
        }
    }

    public func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog {
        if let leaseDuration {
            try await self.sql.write(in: .bulk) { transaction in
                guard var found = try transaction.lockedRollout(rollout),
                    found.rollout.extendLease(of: planner, until: now.lease(of: leaseDuration))
                else { throw StoreError.leaseLost("rollout \(rollout)", holder: planner) }
                try transaction.update(found.rollout, now: now)
            }
        }
        return try await self.sql.snapshot { reader in
            guard let found = try reader.rollout(rollout), found.rollout.planner == planner else {
                throw StoreError.leaseLost("rollout \(rollout)", holder: planner)
            }
            let batches = try reader.batchRows(found.rollout.progress.openBatches).values
                .filter { !$0.lifecycle.state.isFinal }
            return RolloutBacklog(
                targets: batches.reduce(0) { $0 + $1.lifecycle.targetCount - $1.lifecycle.cursor },
                batches: batches.map(\.id).sorted(),
                isOver: found.isOver
            )
        }
    }

    public func rollOut(
        _ shard: RolloutPage,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(in: .bulk) { transaction in
            let lost = StoreError.leaseLost("rollout \(shard.rollout)", holder: planner)
            guard let unlocked = try transaction.rollout(shard.rollout) else { throw lost }
            _ = try transaction.lockedNumber(of: unlocked.app)
            var read: ActivityRow?
            var whole: Activity?
            var damage: StoreError?
            do {
                read = try transaction.activityRows(numbers: [unlocked.activityNumber]).first
                if let read, !read.lifecycle.state.isOver { whole = try transaction.activity(read) }
            } catch let error as StoreError where error.code == .corrupt {
                damage = error
            }
            // After the activity, as all transactions do.
            guard let found = try transaction.lockedRollout(shard.rollout),
                found.rollout.isHeld(by: planner, at: shard.revision)
            else { throw lost }
            if let damage { return try transaction.setAside(found, by: planner, because: damage, now: now) }
            guard let row = read else { throw lost }
            var rollout = found.rollout
            var snapshot = ActivitySnapshot(row)
            var writes = ActivityWrites(snapshot, at: now)
            if let whole {
                try transaction.loadStart(on: shard.installations, &snapshot)
                let start = ActivityCommand.start(whole, on: shard.installations, sendAt: shard.sendAt, isRollout: true)
                try writes.decide(start, on: snapshot)
                let counts = writes.started.counts
                guard rollout.advance(by: shard, counts, planner: planner, until: until, now: now) else { throw lost }
            } else {
                rollout.stop(reason: row.lifecycle.state.rawValue, now: now)
            }
            try writes.decide(.note(rollout), on: snapshot)
            rollout = try transaction.apply([writes], rollout: rollout, now: now).rollout ?? rollout
            try transaction.update(rollout, now: now)
            return rollout
        }
    }

    public func release(_ rollout: RolloutID, planner: WorkerID?, as end: RolloutReleaseReason, now: Date) async throws
    {
        try await self.sql.write(in: .bulk) { transaction in
            switch end {
            case .until(let time), .setBack(let time):
                let isSetback = if case .setBack = end { true } else { false }
                guard let planner, var found = try transaction.lockedRollout(rollout),
                    found.rollout.release(by: planner, until: time.keptToMilliseconds, isSetback: isSetback)
                else { return }
                try transaction.update(found.rollout, now: now)
            case .failed(let reason):
                guard let unlocked = try transaction.rollout(rollout) else { return }
                _ = try transaction.lockedNumber(of: unlocked.app)
                // If the activity cannot be read, the rollout is stopped without an entry in the timeline.
                let rows = try readable([unlocked.activityNumber], in: "activities") {
                    try transaction.activityRows(numbers: $0)
                }
                guard var found = try transaction.lockedRollout(rollout), found.rollout.planner == planner,
                    found.rollout.stop(reason: reason, now: now)
                else { return }
                if let row = rows.first {
                    try transaction.apply(.note(found.rollout), to: ActivitySnapshot(row), now: now)
                }
                try transaction.update(found.rollout, now: now)
            }
        }
    }
}

extension SQL {
    fileprivate static let rollouts: SQL = """
        SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
            apps.id AS app_id
        FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
        JOIN apps ON apps.number = activities.app
        """
}

extension SQLExecutor {
    fileprivate func rollout(_ id: RolloutID, locked lock: SQL = "") throws -> StoredRollout? {
        try self.first("\(SQL.rollouts) WHERE activity_rollouts.id = \(id.value)\(lock)")
            .map(StoredRollout.init(stored:))
    }

    /// A rollout, which other transactions do not claim or release before this transaction ends.
    fileprivate func lockedRollout(_ id: RolloutID) throws -> StoredRollout? {
        try self.rollout(id, locked: "\(lock: " FOR UPDATE OF activity_rollouts")")
    }
}

extension SQLTransaction {
    /// Adds a rollout to an activity, with the notification that it sends, and removes the oldest ones that have ended.
    func add(_ rollout: ActivityRollout, to row: ActivityRow) throws {
        let running = try self.first(
            "SELECT count(*) AS count FROM activity_rollouts WHERE activity = \(row.number) AND state = 0"
        )
        guard try running?.number("count") ?? 0 < ActivityLimit.rollouts else {
            let refusal = ActivityError.tooMany("rollouts under way", limit: ActivityLimit.rollouts)
            throw StoreError.invalid(refusal.message)
        }
        try self.openNotification(rollout.id.notification, createdAt: rollout.createdAt, app: row.app)
        try self.run(
            """
            INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
                audience, progress)
            VALUES (\(rollout.id.value), \(row.number), \(rollout.storedState), \(rollout.setbacks),
                \(rollout.createdAt), \(rollout.claimableAt), \(rollout.ratePerSecond), \(rollout.planner),
                \(StoredJSON.encode(rollout.audience)), \(StoredJSON.encode(rollout.progress)))
            """
        )
        try self.run(
            """
            DELETE FROM activity_rollouts WHERE activity = \(row.number) AND state > 0 AND id NOT IN (
                SELECT id FROM activity_rollouts WHERE activity = \(row.number) AND state > 0
                ORDER BY id DESC LIMIT \(ActivityLimit.endedRollouts)
            )
            """
        )
        self.signal(.activitiesDue)
    }

    /// Writes the columns of a rollout that change, and closes its notification if it ended.
    fileprivate func update(_ rollout: ActivityRollout, now: Date) throws {
        try self.run(
            """
            UPDATE activity_rollouts SET state = \(rollout.storedState), setbacks = \(rollout.setbacks),
                claimable_at = \(rollout.claimableAt), planner = \(rollout.planner),
                progress = \(StoredJSON.encode(rollout.progress))
            WHERE id = \(rollout.id.value)
            """
        )
        if rollout.state != .running { self.close(rollout.id.notification, now: now) }
    }

    /// Sets the activity of a rollout aside, and the rollout for the same time; stops the rollout if the activity is
    /// over by then.
    fileprivate func setAside(
        _ found: StoredRollout,
        by planner: WorkerID,
        because damage: StoreError,
        now: Date
    ) throws -> ActivityRollout {
        var rollout = found.rollout
        try self.setAside(found.activityNumber, damage, now: now)
        if try self.lockedRollout(rollout.id)?.isOver ?? true {
            rollout.stop(reason: damage.message, now: now)
        } else {
            let until = now.addingTimeInterval(QuarantinedActivity.seconds).keptToMilliseconds
            _ = rollout.release(by: planner, until: until, isSetback: false)
        }
        try self.update(rollout, now: now)
        return rollout
    }
}
