// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The rollouts of activities: how they are started on the devices of audiences.
///
/// A rollout is stored with its activity, or with an invitation. A planner claims it by a lease, reads the next devices
/// without a lock, and writes them as a shard: phones, batches and the place where to go on in one transaction. So it does not
/// matter at which instant it dies.
public protocol RolloutStore: Sendable {
    /// The rollouts of an activity, the latest last.
    ///
    /// - Parameters:
    ///   - activity: the activity; one that does not exist has none.
    ///   - app: its app.
    /// - Returns: all that run, and of those that have ended the last 20.
    /// - Throws: ``StoreError``.
    func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout]

    /// Leases rollouts that run and that nobody goes on with, those first that have waited longest.
    ///
    /// - Parameters:
    ///   - planner: who asks.
    ///   - limit: the most rollouts, 1...1000.
    ///   - leaseDuration: how long the lease is to hold from `now` on.
    ///   - now: the time of the call.
    /// - Returns: the rollouts; other planners that ask at the same time get others.
    /// - Throws: ``StoreError``.
    func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout]

    /// What of a rollout is on its way, and extends the lease.
    ///
    /// - Parameters:
    ///   - rollout: the rollout.
    ///   - planner: who holds the lease.
    ///   - leaseDuration: how long the lease is to hold from `now` on; `nil` leaves it as it is.
    ///   - now: the time of the call.
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
    /// - Parameters:
    ///   - shard: the devices.
    ///   - planner: who holds the lease.
    ///   - leaseDuration: how long the lease is to hold from `now` on.
    ///   - now: the time of the call.
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
    /// - Parameters:
    ///   - rollout: the rollout.
    ///   - planner: who holds the lease.
    ///   - end: why, and what is to become of the rollout.
    ///   - now: the time of the call.
    /// - Throws: ``StoreError``.
    func release(_ rollout: RolloutID, planner: WorkerID, as end: RolloutRelease, now: Date) async throws
}

/// A rollout that a planner holds the lease of.
public struct ClaimedRollout: Hashable, Sendable {
    /// The rollout.
    public let rollout: ActivityRollout

    /// The app.
    public let app: AppID

    /// The activity.
    public let activity: ActivityID

    /// The name of the app's type.
    public let attributesType: AttributesType

    /// Describes a claim.
    ///
    /// - Parameters:
    ///   - rollout: the rollout.
    ///   - app: the app.
    ///   - activity: the activity.
    ///   - attributesType: the name of the app's type.
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
