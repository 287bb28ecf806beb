// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The rollouts of activities: how they are started on the devices of audiences.
///
/// A planner claims a rollout by a lease, reads the next devices without a lock, and writes them as a shard: phones, batches
/// and the place where to go on in one transaction. So a crash loses and repeats nothing.
public protocol RolloutStore: Sendable {
    /// The rollouts of an activity that run, and the last 20 that have ended, the latest last.
    func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout]

    /// Leases at most `limit` rollouts that no planner works on, those first that have waited longest.
    func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout]

    /// What of a rollout has no outcome. Extends the lease, unless `leaseDuration` is `nil`.
    ///
    /// - Throws: ``StoreError`` `.leaseLost` when the planner does not hold the lease: stop going on.
    func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog

    /// Starts the activity on a shard of the rollout's devices, and records the progress.
    ///
    /// Phones that take part are passed over. If the activity is over, nothing is sent and the rollout is stopped. The last
    /// shard closes the notification and adds an entry to the timeline. Signals ``StoreChange/batchReady(_:)``.
    ///
    /// An activity that cannot be read is set aside, and the lease ends: the rollout can be claimed again in an hour.
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
    public package(set) var rollout: ActivityRollout
    public let app: AppID
    public let activity: ActivityID
    public let attributesType: AttributesType
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
package struct RolloutRow: Sendable {
    package let activity: Int64
    /// Whether the activity was over when this was read.
    package let isOver: Bool
    package var claimed: ClaimedRollout

    package var rollout: ActivityRollout {
        get { self.claimed.rollout }
        set { self.claimed.rollout = newValue }
    }

    /// Reads the columns of the table `activity_rollouts`, and of the activity `activity_id`, `activity_state`,
    /// `attributes_type` and `app_id`.
    package init(stored row: some StoredRow) throws {
        self.activity = try row.int64("activity")
        self.isOver = try row.number("activity_state") >= 2
        guard let id = try RolloutID(stored: row) else { throw StoreError.damaged("rollout") }
        let throttle = try row.optionalNumber("throttle")
        let progress = try StoredJSON.decode(RolloutProgress.self, try row.string("progress"), "rollout")
        guard StoredLimit.holdsThrottle(throttle), progress.isWithinLimits else { throw StoreError.damaged("rollout") }
        let rollout = ActivityRollout(
            id: id,
            audience: try StoredJSON.decode(Audience.self, try row.string("audience"), "rollout"),
            throttle: throttle,
            createdAt: try row.date("created_at"),
            state: try row.element("state", of: ActivityRollout.State.allCases, in: "rollout"),
            progress: progress,
            planner: try row.text("planner").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at"),
            setbacks: try row.number("setbacks", in: StoredLimit.counts)
        )
        self.claimed = ClaimedRollout(
            rollout: rollout,
            app: try row.identifier("app_id"),
            activity: try row.identifier("activity_id"),
            attributesType: try row.identifier("attributes_type")
        )
    }
}

/// States: 0 running, 1 done, 2 stopped. Audience and progress are JSON, which is only ever read and written whole.
extension ActivityRollout {
    /// The state of one that was given up since it cannot be read.
    package static let storedStopped = 2

    package var storedState: Int { State.allCases.firstIndex(of: self.state) ?? 0 }
}

extension RolloutID {
    package init?(stored row: some StoredRow) throws {
        guard let value = APNsID(stored: try row.blob("id")) else { return nil }
        self.init(value)
    }
}
