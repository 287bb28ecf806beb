// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQL {
    static let rollouts: SQL = """
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

    func rolloutRow(_ id: RolloutID, locked lock: SQL = "") throws -> RolloutRow? {
        try self.first("\(SQL.rollouts) WHERE activity_rollouts.id = \(id.value)\(lock)")
            .map(RolloutRow.init(stored:))
    }

    /// A rollout, which other transactions do not claim or release before this transaction ends.
    func lockedRolloutRow(_ id: RolloutID) throws -> RolloutRow? {
        try self.rolloutRow(id, locked: "\(lock: " FOR UPDATE OF activity_rollouts")")
    }

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
}

extension SQLTransaction {
    /// Adds a rollout to an activity, with the notification that it sends, and removes the oldest ones that have ended.
    func add(_ rollout: ActivityRollout, to row: ActivityRow) throws {
        let running = try self.rolloutRows(ofActivity: row.number).count { $0.rollout.state == .running }
        guard running < ActivityLimit.rollouts else {
            throw StoreError(
                code: .invalid,
                message: ActivityRefusal.tooMany("rollouts under way", limit: ActivityLimit.rollouts).message
            )
        }
        try self.openNotification(rollout.id.notification, createdAt: rollout.createdAt, app: row.app)
        try self.run(
            """
            INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
                audience, progress)
            VALUES (\(rollout.id.value), \(row.number), \(rollout.storedState), \(rollout.setbacks),
                \(rollout.createdAt), \(rollout.claimableAt), \(rollout.throttle), \(rollout.planner),
                \(rollout.storedAudience), \(rollout.storedProgress))
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

    func update(_ rollout: ActivityRollout) throws {
        try self.run(
            """
            UPDATE activity_rollouts SET state = \(rollout.storedState), progress = \(rollout.storedProgress)
            WHERE id = \(rollout.id.value)
            """
        )
        try self.updateLease(rollout)
    }

    func updateLease(_ rollout: ActivityRollout) throws {
        try self.run(
            """
            UPDATE activity_rollouts SET setbacks = \(rollout.setbacks), claimable_at = \(rollout.claimableAt),
                planner = \(rollout.planner)
            WHERE id = \(rollout.id.value)
            """
        )
    }

    /// Sets the activity of a rollout aside, and the rollout for the same time; stops the rollout if the activity is
    /// over by then.
    func setAside(
        _ found: RolloutRow,
        by planner: WorkerID,
        because damage: StoreError,
        now: Date
    ) throws -> ActivityRollout {
        var found = found
        try self.setAside(found.activity, damage, now: now)
        if try self.lockedRolloutRow(found.rollout.id)?.isOver ?? true {
            found.rollout.stop(reason: damage.message, now: now)
            try self.update(found.rollout)
            self.close(found.rollout.id.notification, now: now)
        } else {
            let until = now.addingTimeInterval(SetAside.seconds).keptToMilliseconds
            _ = found.rollout.release(by: planner, until: until, isSetback: false)
            try self.updateLease(found.rollout)
        }
        return found.rollout
    }
}

extension ActivityRound {
    /// Adds an entry for a rollout that has ended.
    mutating func note(_ rollout: ActivityRollout, of activity: Int64) {
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
