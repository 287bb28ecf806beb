// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The rollouts of activities: their starts on the devices of audiences.
///
/// A planner leases a rollout, reads the next devices without a lock, and writes these devices, their batches and its
/// cursor in one transaction. So a crash loses and repeats nothing.
public protocol RolloutStore: Sendable {
    /// The running rollouts of an activity and the last 20 that ended, the latest last.
    func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout]

    /// Leases at most `limit` rollouts that no planner has leased. Those that waited longest come first.
    func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [StoredRollout]

    /// The starts of a rollout without an outcome. Extends the lease, unless `leaseDuration` is `nil`.
    func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog

    /// Starts the activity on the next devices of the rollout, and records the progress.
    ///
    /// Devices that participate are skipped. If the activity is over, nothing is sent and the rollout stops. The end
    /// closes the notification and adds an entry to the timeline. Signals ``StoreChange/batchReady(_:)``.
    ///
    /// A corrupt activity is quarantined, and the lease ends. The rollout can be claimed again in an hour.
    func rollOut(
        _ shard: RolloutPage,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout

    /// Ends the lease of a planner, unless it lost the lease; without a planner, ends a rollout that no planner holds.
    func release(_ rollout: RolloutID, planner: WorkerID?, as end: RolloutReleaseReason, now: Date) async throws
}

/// A rollout as it is stored, with its activity.
public struct StoredRollout: Hashable, Sendable {
    public package(set) var rollout: ActivityRollout
    public let app: AppID
    public let activity: ActivityID
    public let attributesType: AttributesType
    package let activityNumber: Int64
    /// Whether the activity was over when this was read.
    package let isOver: Bool

    /// Reads the columns of the table `activity_rollouts`, and of the activity `activity_id`, `activity_state`,
    /// `attributes_type` and `app_id`.
    package init(stored row: StoredRow) throws {
        let rate = try row.optionalNumber("throttle")
        let progress = try StoredJSON.decode(RolloutProgress.self, try row.string("progress"), "rollout")
        guard StoredLimit.holdsRate(rate), progress.isWithinLimits else { throw StoreError.damaged("rollout") }
        self.rollout = ActivityRollout(
            id: RolloutID(try row.apnsID("id", of: "rollout")),
            audience: try StoredJSON.decode(Audience.self, try row.string("audience"), "rollout"),
            ratePerSecond: rate,
            createdAt: try row.date("created_at"),
            state: try row.element("state", of: ActivityRollout.State.allCases, in: "rollout"),
            progress: progress,
            planner: try row.text("planner").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at"),
            setbacks: try row.number("setbacks", in: StoredLimit.counts)
        )
        self.app = try row.identifier("app_id")
        self.activity = try row.identifier("activity_id")
        self.attributesType = try row.identifier("attributes_type")
        self.activityNumber = try row.int64("activity")
        self.isOver = try row.number("activity_state") >= 2
    }
}

/// Why a planner releases a rollout.
public enum RolloutReleaseReason: Hashable, Sendable {
    /// Any planner can continue it from that time on.
    case until(Date)
    /// Processing failed, which is counted. It is retried from that time on.
    case setBack(until: Date)
    /// Processing failed too often, so it is stopped for that reason.
    case failed(reason: String)
}

/// States: 0 running, 1 done, 2 stopped. Audience and progress are JSON, which is only ever read and written whole.
extension ActivityRollout {
    package var storedState: Int { State.allCases.firstIndex(of: self.state) ?? 0 }
}
