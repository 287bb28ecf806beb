// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQL {
    fileprivate static let rollouts: SQL = """
        SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
            apps.id AS app_id
        FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
        JOIN apps ON apps.number = activities.app
        """
}

extension SQLExecutor {
    /// The rollouts of an activity, the latest last.
    func rolloutRows(ofActivity number: Int64) throws -> [RolloutRow] {
        try self.rows(
            "\(SQL.rollouts) WHERE activity_rollouts.activity = \(number) ORDER BY activity_rollouts.id"
        ).mapReadable(in: "activity_rollouts") { try RolloutRow(stored: $0) }
    }

    /// A rollout; other transactions do not claim or release a locked one before this transaction ends.
    private func rolloutRow(_ id: RolloutID, isLocked: Bool) throws -> RolloutRow? {
        let lock: SQL = isLocked ? "\(lock: " FOR UPDATE OF activity_rollouts")" : ""
        return try self.first("\(SQL.rollouts) WHERE activity_rollouts.id = \(id.value)\(lock)")
            .map(RolloutRow.init(stored:))
    }

    func rolloutRow(_ id: RolloutID) throws -> RolloutRow? { try self.rolloutRow(id, isLocked: false) }

    func lockedRolloutRow(_ id: RolloutID) throws -> RolloutRow? { try self.rolloutRow(id, isLocked: true) }

    /// The IDs of the rollouts of activities that run, by the numbers of the activities.
    func runningRollouts(ofActivities numbers: [Int64]) throws -> [Int64: [RolloutID]] {
        let rows = try self.rows(
            "SELECT activity, id FROM activity_rollouts WHERE activity \(each: numbers) AND state = 0"
        )
        return try rows.reduce(into: [:]) { rollouts, row in
            guard let id = try RolloutID(stored: row) else { return }
            rollouts[try row.int64("activity"), default: []].append(id)
        }
    }

    /// Counts the targets of a rollout without outcome; see ``RolloutStore/backlog(of:planner:leaseDuration:now:)``.
    func backlog(of id: RolloutID, planner: WorkerID) throws -> RolloutBacklog {
        guard let row = try self.rolloutRow(id), row.rollout.planner == planner else {
            throw StoreError.leaseLost(rollout: id, planner: planner)
        }
        let batches = try self.batchRows(row.rollout.progress.openBatches).values
            .filter { !$0.lifecycle.state.isFinal }
        return RolloutBacklog(
            targets: batches.reduce(0) { $0 + $1.lifecycle.targetCount - $1.lifecycle.cursor },
            batches: batches.map(\.id).sorted(),
            isOver: row.isOver
        )
    }
}

extension SQLTransaction {
    /// Rollouts that can be claimed, the earliest first; other transactions get others.
    ///
    /// One that cannot be read is stopped, because it would be claimed again and again.
    private func claimableRolloutRows(limit: Int, now: Date) throws -> [RolloutRow] {
        let found = try self.rows(
            """
            \(SQL.rollouts) WHERE claimable_at <= \(now) ORDER BY claimable_at LIMIT \(limit)\
            \(lock: " FOR UPDATE OF activity_rollouts SKIP LOCKED")
            """
        )
        return try found.compactMap { row in
            if let rollout = try row.readable(in: "activity_rollouts", { try RolloutRow(stored: $0) }) {
                return rollout
            }
            try self.run(
                """
                UPDATE activity_rollouts SET state = \(RolloutRow.storedStopped), claimable_at = NULL, planner = NULL
                WHERE id = \(SQLValue(key: row.blob("id")))
                """
            )
            return nil
        }
    }

    /// Adds a rollout, and removes the oldest ones of its activity that have ended.
    private func insert(_ row: RolloutRow) throws {
        let rollout = row.rollout
        try self.run(
            """
            INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
                audience, progress)
            VALUES (\(rollout.id.value), \(row.activity), \(row.storedState), \(rollout.setbacks),
                \(rollout.createdAt), \(rollout.claimableAt), \(rollout.throttle), \(rollout.planner),
                \(row.storedAudience), \(row.storedProgress))
            """
        )
        try self.run(
            """
            DELETE FROM activity_rollouts WHERE activity = \(row.activity) AND state > 0 AND id NOT IN (
                SELECT id FROM activity_rollouts WHERE activity = \(row.activity) AND state > 0
                ORDER BY id DESC LIMIT \(ActivityLimit.endedRollouts)
            )
            """
        )
    }

    private func update(_ row: RolloutRow) throws {
        try self.run(
            """
            UPDATE activity_rollouts SET state = \(row.storedState), progress = \(row.storedProgress)
            WHERE id = \(row.rollout.id.value)
            """
        )
        try self.updateLease(row)
    }

    private func updateLease(_ row: RolloutRow) throws {
        let rollout = row.rollout
        try self.run(
            """
            UPDATE activity_rollouts SET setbacks = \(rollout.setbacks), claimable_at = \(rollout.claimableAt),
                planner = \(rollout.planner)
            WHERE id = \(rollout.id.value)
            """
        )
    }
}

extension SQLTransaction {
    /// Adds a rollout to an activity, with the notification that it sends.
    func add(_ rollout: ActivityRollout, to row: ActivityRow) throws {
        let running = try self.rolloutRows(ofActivity: row.number).count { $0.rollout.state == .running }
        guard running < ActivityLimit.rollouts else {
            throw StoreError(
                code: .invalid,
                message: ActivityRefusal.tooMany("rollouts under way", limit: ActivityLimit.rollouts).message
            )
        }
        try self.openNotification(rollout.id.notification, createdAt: rollout.createdAt, app: row.app)
        try self.insert(RolloutRow(rollout, of: row))
        self.signal(.activitiesDue)
    }

    /// Leases rollouts; see ``RolloutStore/claimRollouts(planner:limit:leaseDuration:now:)``.
    func claimRollouts(planner: WorkerID, limit: Int, until: Date, now: Date) throws -> [ClaimedRollout] {
        try self.claimableRolloutRows(limit: limit, now: now).compactMap { row in
            var row = row
            guard row.rollout.claim(by: planner, until: until, now: now) else { return nil }
            try self.updateLease(row)
            return row.claimed
        }
    }

    /// Extends a lease; see ``RolloutStore/backlog(of:planner:leaseDuration:now:)``.
    func extend(_ id: RolloutID, planner: WorkerID, until: Date) throws {
        guard var row = try self.lockedRolloutRow(id), row.rollout.extendLease(of: planner, until: until)
        else { throw StoreError.leaseLost(rollout: id, planner: planner) }
        try self.updateLease(row)
    }

    /// Starts an activity on a shard; see ``RolloutStore/rollOut(_:planner:leaseDuration:now:)``.
    func rollOut(_ shard: RolloutShard, planner: WorkerID, until: Date, now: Date) throws -> ActivityRollout {
        let (app, activity, found) = try self.held(shard.rollout, by: planner, at: shard.revision)
        let row: ActivityRow
        switch activity {
        case .success(let readable): row = readable
        case .failure(let damage):
            return try self.setAside(found, by: planner, because: damage, now: now)
        }
        var stored = found
        var rollout = found.rollout
        var round = ActivityRound(app: app, appID: row.appID, now: now)
        round.load(row)
        if row.lifecycle.state.isOver {
            rollout.stop(reason: row.lifecycle.state.rawValue, now: now)
        } else {
            let draft = round.note(.started, of: row.number)
            // The timeline has one entry for the whole rollout, at its end.
            round.drafts[draft].isTold = false
            let whole: Activity
            do {
                whole = try self.activity(row)
            } catch let error as StoreError where error.code == .corrupt {
                return try self.setAside(found, by: planner, because: error, now: now)
            }
            let started = try self.start(
                on: shard.installations,
                activity: whole,
                number: row.number,
                draft: draft,
                sendAt: shard.sendAt,
                in: &round
            )
            guard rollout.advance(by: shard, started.counts, planner: planner, until: until, now: now) else {
                throw StoreError.leaseLost(rollout: shard.rollout, planner: planner)
            }
        }
        round.note(rollout, of: row.number)
        round.rollout = rollout
        try round.finish(on: self)
        stored.rollout = round.rollout ?? rollout
        try self.update(stored)
        if rollout.state != .running { self.close(rollout.id.notification, now: now) }
        return stored.rollout
    }

    /// Ends a planner's lease; see ``RolloutStore/release(_:planner:as:now:)``.
    func release(_ id: RolloutID, planner: WorkerID, as end: RolloutRelease, now: Date) throws {
        switch end {
        case .until(let time): try self.release(id, planner: planner, until: time, isSetback: false)
        case .setBack(let time): try self.release(id, planner: planner, until: time, isSetback: true)
        case .failed(let reason):
            guard let place = try self.rolloutRow(id) else { return }
            let app = try self.lockedNumber(of: place.appID)
            // If the activity cannot be read, the rollout is stopped without an entry in the timeline.
            let row = try readable([place.activity], in: "activities") { try self.activityRows(numbers: $0) }.first
            guard var found = try self.lockedRolloutRow(id), found.rollout.planner == planner,
                found.rollout.stop(reason: reason, now: now)
            else { return }
            if let row {
                var round = ActivityRound(app: app, appID: row.appID, now: now)
                round.load(row)
                round.note(found.rollout, of: row.number)
                try round.finish(on: self)
            }
            try self.update(found)
            self.close(id.notification, now: now)
        }
    }

    private func release(_ id: RolloutID, planner: WorkerID, until: Date, isSetback: Bool) throws {
        guard var row = try self.lockedRolloutRow(id),
            row.rollout.release(by: planner, until: until.keptToMilliseconds, isSetback: isSetback)
        else { return }
        try self.updateLease(row)
    }

    /// A rollout with its activity, or the reason why that cannot be read; locks both, the activity first.
    private func held(
        _ id: RolloutID,
        by planner: WorkerID,
        at revision: Int
    ) throws -> (app: Int64, activity: Result<ActivityRow, StoreError>, rollout: RolloutRow) {
        guard let place = try self.rolloutRow(id) else {
            throw StoreError.leaseLost(rollout: id, planner: planner)
        }
        let app = try self.lockedNumber(of: place.appID)
        let activity: Result<ActivityRow, StoreError>
        do {
            guard let row = try self.activityRows(numbers: [place.activity]).first else {
                throw StoreError.leaseLost(rollout: id, planner: planner)
            }
            activity = .success(row)
        } catch let error as StoreError where error.code == .corrupt {
            activity = .failure(error)
        }
        guard let found = try self.lockedRolloutRow(id), found.rollout.isHeld(by: planner, at: revision)
        else {
            throw StoreError.leaseLost(rollout: id, planner: planner)
        }
        return (app, activity, found)
    }

    /// Sets the activity of a rollout aside, and the rollout for the same time; stops the rollout if the activity is
    /// over by then.
    private func setAside(
        _ found: RolloutRow,
        by planner: WorkerID,
        because damage: StoreError,
        now: Date
    ) throws -> ActivityRollout {
        var found = found
        let aside = SetAside(found.activity, damage, now: now)
        try self.setAside(aside)
        let isOver = try self.lockedRolloutRow(found.rollout.id)?.isOver ?? true
        if isOver {
            found.rollout.stop(reason: damage.message, now: now)
            try self.update(found)
            self.close(found.rollout.id.notification, now: now)
        } else {
            _ = found.rollout.release(by: planner, until: aside.until.keptToMilliseconds, isSetback: false)
            try self.updateLease(found)
        }
        return found.rollout
    }
}

extension ActivityRound {
    /// Adds an entry for a rollout that has ended.
    fileprivate mutating func note(_ rollout: ActivityRollout, of activity: Int64) {
        guard rollout.state != .running else { return }
        let counts = rollout.progress.counts
        var parts = ["\(counts.invited) invited"]
        if counts.takingPart > 0 { parts.append("\(counts.takingPart) took part already") }
        if counts.withoutToken > 0 { parts.append("\(counts.withoutToken) without a token") }
        if counts.otherEnvironment > 0 { parts.append("\(counts.otherEnvironment) of the other environment") }
        if let reason = rollout.progress.reason { parts.append(reason) }
        let kind: TimelineEntry.Kind = rollout.state == .done ? .rolloutDone : .rolloutStopped
        self.note(kind, of: activity, detail: parts.joined(separator: ", "))
    }
}

/// The result of the start of an activity on devices.
struct StartedPhones {
    var counts = RolloutProgress.Counts()

    /// The devices that could not be sent to.
    var unreachable: [InstallationID] = []
}
