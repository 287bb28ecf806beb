// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The rollouts of activities: how they are started on the devices of audiences.
///
/// A rollout is stored with its activity, or with an invitation. A planner claims it by a lease, reads the next devices
/// without a lock, and writes them as a shard: phones, batches and the place where to go on in one transaction. So it does not
/// matter at which instant it dies.
public protocol RolloutStore: Sendable {
    /// The rollouts of an activity, the latest last.
    ///
    /// - Returns: all that run, and of those that have ended the last 20.
    func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout]

    /// Leases rollouts that run and that nobody goes on with, those first that have waited longest.
    ///
    /// `limit` is 1...1000.
    /// - Returns: the rollouts; other planners that ask at the same time get others.
    func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout]

    /// What of a rollout is on its way, and extends the lease.
    ///
    /// Without `leaseDuration`, the lease stays as it is.
    /// - Returns: what has no outcome, and whether the activity is over.
    /// - Throws: ``StoreError`` `.leaseLost` when the planner does not hold the lease: stop going on.
    func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog

    /// Starts the activity on a shard of the rollout's devices, and takes note how far that has come.
    ///
    /// Phones that take part are passed over; the others are sent the activity's newest content. When the activity is over,
    /// nothing is sent and the rollout is stopped. With the last shard the notification is closed, and an entry of the timeline
    /// tells what became of all devices. Signals ``StoreChange/batchReady(_:)``.
    ///
    /// When the activity cannot be read, it is set aside, as its timeline tells, and the lease ends: the rollout runs without a
    /// planner, and may be claimed again in an hour.
    /// - Returns: the rollout behind the shard.
    /// - Throws: ``StoreError`` `.leaseLost` when the planner does not hold the lease, or another one went on: stop going on.
    func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout

    /// Ends a planner's lease; does nothing when it lost the lease.
    ///
    /// Without a planner, ends a rollout that no planner holds.
    func release(_ rollout: RolloutID, planner: WorkerID?, as end: RolloutRelease, now: Date) async throws
}

/// A rollout that a planner holds the lease of.
public struct ClaimedRollout: Hashable, Sendable {
    public let rollout: ActivityRollout
    public let app: AppID
    public let activity: ActivityID
    public let attributesType: AttributesType

    public init(rollout: ActivityRollout, app: AppID, activity: ActivityID, attributesType: AttributesType) {
        self.rollout = rollout
        self.app = app
        self.activity = activity
        self.attributesType = attributesType
    }
}

/// Why a planner gives a rollout back.
public enum RolloutRelease: Hashable, Sendable {
    /// Somebody else may go on from that time on.
    case until(Date)

    /// It could not be gone on with, which is counted; it is tried again then.
    case setBack(until: Date)

    /// It could not be gone on with time and again: it is stopped, for that reason.
    case failed(reason: String)
}

/// A rollout as it is stored, with the activity to which it belongs.
///
/// States: 0 running, 1 done, 2 stopped. Audience and progress are JSON, which is only ever read and written whole.
package struct RolloutRow: Sendable {
    package let activity: Int64
    package let activityID: ActivityID
    package let attributesType: AttributesType
    package let appID: AppID
    /// Whether the activity was over when this was read.
    package let isOver: Bool
    package var rollout: ActivityRollout

    /// A rollout of an activity that was not stored before.
    package init(_ rollout: ActivityRollout, of row: ActivityRow) {
        self.activity = row.number
        self.activityID = row.id
        self.attributesType = row.attributesType
        self.appID = row.appID
        self.isOver = row.lifecycle.state.isOver
        self.rollout = rollout
    }

    /// What ``init(stored:)`` reads; conditions on `activity_rollouts`, `activities` and `apps` follow.
    package static let query = """
        SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state,
            attributes_type, apps.id AS app_id
        FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
        JOIN apps ON apps.number = activities.app
        """

    /// Reads the columns of ``query``.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.activity = try row.int64("activity")
        self.activityID = try row.identifier("activity_id")
        self.attributesType = try row.identifier("attributes_type")
        self.appID = try row.identifier("app_id")
        self.isOver = try row.number("activity_state") >= 2
        guard let id = try RolloutID(stored: row) else { throw StoreError.damaged("rollout") }
        let states = ActivityRollout.State.allCases
        let state = try row.number("state")
        let throttle = try row.optionalNumber("throttle")
        let progress = try StoredJSON.decode(RolloutProgress.self, try row.string("progress"), "rollout")
        guard states.indices.contains(state), StoredLimit.holdsThrottle(throttle), progress.isWithinLimits else {
            throw StoreError.damaged("rollout")
        }
        self.rollout = ActivityRollout(
            id: id,
            audience: try StoredJSON.decode(Audience.self, try row.string("audience"), "rollout"),
            throttle: throttle,
            createdAt: try row.date("created_at"),
            state: states[state],
            progress: progress,
            planner: try row.text("planner").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at"),
            setbacks: try row.number("setbacks", in: StoredLimit.counts)
        )
    }

    package var storedState: Int { ActivityRollout.State.allCases.firstIndex(of: self.rollout.state) ?? 0 }

    /// What the column `state` holds of one that was given up since it cannot be read.
    package static let storedStopped = 2

    package var storedAudience: String { get throws { try StoredJSON.encode(self.rollout.audience) } }

    package var storedProgress: String { get throws { try StoredJSON.encode(self.rollout.progress) } }

    /// The rollout as a planner is given it who has claimed it.
    package var claimed: ClaimedRollout {
        ClaimedRollout(
            rollout: self.rollout,
            app: self.appID,
            activity: self.activityID,
            attributesType: self.attributesType
        )
    }
}

extension RolloutID {
    /// Reads the column `id` of the table `activity_rollouts`.
    package init?(stored row: some StoredRow) throws {
        guard let value = APNsID(stored: try row.blob("id")) else { return nil }
        self.init(value)
    }
}

extension ActivityTables {
    /// Adds a rollout to an activity, with the notification that it sends.
    func add(_ rollout: ActivityRollout, to row: ActivityRow, signalling changes: inout [StoreChange]) throws {
        let running = try self.rolloutRows(ofActivity: row.number).count { $0.rollout.state == .running }
        guard running < ActivityLimit.rollouts else {
            throw StoreError(
                code: .invalid,
                message: ActivityRefusal.tooMany("rollouts under way", limit: ActivityLimit.rollouts).message
            )
        }
        try self.open(rollout.id.notification, createdAt: rollout.createdAt, app: row.app)
        try self.insert(RolloutRow(rollout, of: row))
        changes.append(.activitiesDue)
    }

    /// Leases rollouts; see ``RolloutStore/claimRollouts(planner:limit:leaseDuration:now:)``.
    package func claimRollouts(planner: WorkerID, limit: Int, until: Date, now: Date) throws -> [ClaimedRollout] {
        try self.claimableRolloutRows(limit: limit, now: now).compactMap { row in
            var row = row
            guard row.rollout.claim(by: planner, until: until, now: now) else { return nil }
            try self.updateLease(row)
            return row.claimed
        }
    }

    /// What of a rollout is on its way; see ``RolloutStore/backlog(of:planner:leaseDuration:now:)``.
    package func backlog(of id: RolloutID, planner: WorkerID) throws -> RolloutBacklog {
        guard let row = try self.rolloutRow(id, isLocked: false), row.rollout.planner == planner else {
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

    /// Extends a lease; see ``RolloutStore/backlog(of:planner:leaseDuration:now:)``.
    package func extend(_ id: RolloutID, planner: WorkerID, until: Date) throws {
        guard var row = try self.rolloutRow(id, isLocked: true), row.rollout.extendLease(of: planner, until: until)
        else { throw StoreError.leaseLost(rollout: id, planner: planner) }
        try self.updateLease(row)
    }

    /// Starts an activity on a shard; see ``RolloutStore/rollOut(_:planner:leaseDuration:now:)``.
    package func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        until: Date,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> ActivityRollout {
        let (app, activity, found) = try self.held(shard.rollout, by: planner, at: shard.revision)
        let row: ActivityRow
        switch activity {
        case .success(let readable): row = readable
        case .failure(let damage):
            return try self.setAside(found, by: planner, because: damage, now: now, signalling: &changes)
        }
        var stored = found
        var rollout = found.rollout
        var round = ActivityRound(app: app, appID: row.appID, now: now)
        round.load(row)
        if row.lifecycle.state.isOver {
            rollout.stop(reason: row.lifecycle.state.rawValue, now: now)
        } else {
            let draft = round.note(.started, of: row.number)
            // Of a rollout one entry tells, when it has ended.
            round.drafts[draft].isTold = false
            let whole: Activity
            do {
                whole = try self.activity(row)
            } catch let error as StoreError where error.code == .corrupt {
                return try self.setAside(found, by: planner, because: error, now: now, signalling: &changes)
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
        _ = try round.finish(on: self, signalling: &changes)
        stored.rollout = round.rollout ?? rollout
        try self.update(stored)
        if rollout.state != .running {
            try self.close(rollout.id.notification, now: now, signalling: &changes)
        }
        return stored.rollout
    }

    /// Ends a planner's lease; see ``RolloutStore/release(_:planner:as:now:)``.
    package func release(
        _ id: RolloutID,
        planner: WorkerID?,
        as end: RolloutRelease,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        switch end {
        case .until(let time): try self.release(id, planner: planner, until: time, isSetback: false)
        case .setBack(let time): try self.release(id, planner: planner, until: time, isSetback: true)
        case .failed(let reason):
            guard let place = try self.rolloutRow(id, isLocked: false) else { return }
            let app = try self.number(ofApp: place.appID)
            // Of one that cannot be read nothing is told; it is stopped all the same.
            let row = try readable([place.activity], in: "activities") { try self.activityRows(numbers: $0) }.first
            guard var found = try self.rolloutRow(id, isLocked: true), found.rollout.planner == planner,
                found.rollout.stop(reason: reason, now: now)
            else { return }
            if let row {
                var round = ActivityRound(app: app, appID: row.appID, now: now)
                round.load(row)
                round.note(found.rollout, of: row.number)
                _ = try round.finish(on: self, signalling: &changes)
            }
            try self.update(found)
            try self.close(id.notification, now: now, signalling: &changes)
        }
    }

    private func release(_ id: RolloutID, planner: WorkerID?, until: Date, isSetback: Bool) throws {
        guard let planner, var row = try self.rolloutRow(id, isLocked: true),
            row.rollout.release(by: planner, until: until.keptToMilliseconds, isSetback: isSetback)
        else { return }
        try self.updateLease(row)
    }

    /// A rollout with its activity, or why that cannot be read, both locked, the activity first: whoever holds that may change
    /// its rollouts.
    private func held(
        _ id: RolloutID,
        by planner: WorkerID,
        at revision: Int
    ) throws -> (app: Int64, activity: Result<ActivityRow, StoreError>, rollout: RolloutRow) {
        guard let place = try self.rolloutRow(id, isLocked: false) else {
            throw StoreError.leaseLost(rollout: id, planner: planner)
        }
        let app = try self.number(ofApp: place.appID)
        let activity: Result<ActivityRow, StoreError>
        do {
            guard let row = try self.activityRows(numbers: [place.activity]).first else {
                throw StoreError.leaseLost(rollout: id, planner: planner)
            }
            activity = .success(row)
        } catch let error as StoreError where error.code == .corrupt {
            activity = .failure(error)
        }
        guard let found = try self.rolloutRow(id, isLocked: true), found.rollout.isHeld(by: planner, at: revision)
        else {
            throw StoreError.leaseLost(rollout: id, planner: planner)
        }
        return (app, activity, found)
    }

    /// Sets aside the activity of a rollout, which is left alone for as long; one whose activity is over by then is stopped.
    private func setAside(
        _ found: RolloutRow,
        by planner: WorkerID,
        because damage: StoreError,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> ActivityRollout {
        var found = found
        let aside = SetAside(found.activity, damage, now: now)
        try self.setAside(aside)
        let isOver = try self.rolloutRow(found.rollout.id, isLocked: true)?.isOver ?? true
        if isOver {
            found.rollout.stop(reason: damage.message, now: now)
            try self.update(found)
            try self.close(found.rollout.id.notification, now: now, signalling: &changes)
        } else {
            _ = found.rollout.release(by: planner, until: aside.until.keptToMilliseconds, isSetback: false)
            try self.updateLease(found)
        }
        return found.rollout
    }
}

extension ActivityRound {
    /// Tells in the timeline that a rollout has ended; nothing of one that runs.
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

/// What became of phones on which an activity was to be started.
struct StartedPhones {
    var counts = RolloutProgress.Counts()

    /// Those that could not be sent to.
    var unreachable: [InstallationID] = []
}
