// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import WallTime

/// The state machine of a campaign: whether it is planned and sent, and who plans it.
///
/// A value with no clock and no store: a store loads it, applies one event and writes it back in one transaction.
public struct CampaignLifecycle: Hashable, Sendable {
    public internal(set) var state: CampaignState

    /// How far it is planned; `nil` until planning has begun.
    public internal(set) var plan: CampaignFanOut?

    /// The worker that processes it, until ``claimableAt``; `nil` if there is none.
    public internal(set) var planner: WorkerID?

    /// From when it may be claimed for planning: its start, the end of a lease, or when there is more to plan.
    ///
    /// `nil` while there is nothing to plan.
    public internal(set) var claimableAt: Date?

    /// How often in a row it could not be planned.
    public internal(set) var setbacks: Int

    /// Since when it is paused; `nil` while it is not.
    public internal(set) var pausedAt: Date?

    /// When it was last started or resumed; `nil` while it does not run, or if the time is unknown.
    public internal(set) var stretch: CampaignRateBaseline?

    public let planningTime: Date

    /// The time from which nothing more is sent; `nil` means never.
    public let expiresAt: Date?

    public init(_ campaign: Campaign) {
        self.init(
            state: campaign.startsPaused ? .paused : .scheduled,
            claimableAt: campaign.startsPaused ? nil : campaign.planningTime,
            pausedAt: campaign.startsPaused ? campaign.createdAt : nil,
            planningTime: campaign.planningTime,
            expiresAt: campaign.expiresAt
        )
    }

    public init(
        state: CampaignState,
        plan: CampaignFanOut? = nil,
        planner: WorkerID? = nil,
        claimableAt: Date?,
        setbacks: Int = 0,
        pausedAt: Date? = nil,
        stretch: CampaignRateBaseline? = nil,
        planningTime: Date,
        expiresAt: Date?
    ) {
        self.state = state
        self.plan = plan
        self.planner = planner
        self.claimableAt = claimableAt
        self.setbacks = setbacks
        self.pausedAt = pausedAt
        self.stretch = stretch
        self.planningTime = planningTime
        self.expiresAt = expiresAt
    }

    /// Whether no batch will be added.
    public var isPlanned: Bool { self.state.isFinal || self.plan?.isDone == true }
}

// MARK: - Planning

extension CampaignLifecycle {
    /// The result of a claim.
    public enum Claim: Hashable, Sendable {
        /// The planner holds the lease; the campaign is `running`.
        case granted

        /// The campaign's time was over: it is `expired` by this.
        case expired

        /// Another planner holds a lease, there is nothing to plan, or its time has not come. Nothing changed.
        case refused
    }

    /// A planner asks for the campaign.
    ///
    /// A lease expires at `until` itself.
    public mutating func claim(by planner: WorkerID, until: Date, now: Date) -> Claim {
        guard self.state == .scheduled || self.state == .running, let claimableAt, claimableAt <= now
        else { return .refused }
        if let expiresAt, expiresAt <= now {
            self.end(as: .expired)
            return .expired
        }
        if self.state == .scheduled { self.stretch = CampaignRateBaseline(since: now, settled: 0) }
        self.state = .running
        self.planner = planner
        self.claimableAt = until
        return .granted
    }

    /// The result of a step of the fan-out.
    public enum Advance: Hashable, Sendable {
        /// The plan is the campaign's now.
        case applied

        /// It was already: a repetition whose first answer was lost. Nothing changed.
        case alreadyApplied

        /// The worker does not have the lease, or another one continued. Nothing changed.
        case leaseLost
    }

    /// A planner has planned a step further.
    ///
    /// The plan is one revision above the campaign's.
    public mutating func advance(to plan: CampaignFanOut, by planner: WorkerID, until: Date) -> Advance {
        if plan == self.plan { return .alreadyApplied }
        let next = (self.plan?.revision ?? 0).addingClamping(1)
        guard self.planner == planner, plan.revision == next else { return .leaseLost }
        self.plan = plan
        self.setbacks = 0
        self.claimableAt = plan.isDone ? nil : until
        if plan.isDone { self.planner = nil }
        return .applied
    }

    /// The planner gives the campaign back; anyone may claim it from that time on.
    ///
    /// - Returns: whether it held the lease; nothing changes when it did not.
    public mutating func release(by planner: WorkerID, until: Date) -> Bool {
        guard self.planner == planner else { return false }
        self.planner = nil
        self.claimableAt = until
        return true
    }

    /// The planner gives the campaign back because it could not be planned; that is counted until it can.
    ///
    /// - Returns: whether it held the lease; nothing changes when it did not.
    public mutating func setBack(by planner: WorkerID, until: Date) -> Bool {
        guard self.release(by: planner, until: until) else { return false }
        self.setbacks.add(clamping: 1)
        return true
    }

    /// The planner gives the campaign up.
    ///
    /// - Returns: whether it held the lease; nothing changes when it did not.
    public mutating func fail(by planner: WorkerID, reason: String) -> Bool {
        guard self.planner == planner else { return false }
        self.end(as: .failed(reason: reason))
        return true
    }

    /// The planner found that the campaign's time is over.
    ///
    /// - Returns: whether it held the lease; nothing changes when it did not.
    public mutating func expire(by planner: WorkerID) -> Bool {
        guard self.planner == planner else { return false }
        self.end(as: .expired)
        return true
    }

    private mutating func end(as state: CampaignState) {
        self.state = state
        self.planner = nil
        self.claimableAt = nil
        self.pausedAt = nil
        self.stretch = nil
    }
}

// MARK: - Steering

extension CampaignLifecycle {
    /// Nothing more is planned or sent until the campaign is resumed.
    ///
    /// - Returns: whether that changed anything.
    public mutating func pause(now: Date) -> Bool {
        guard self.state == .scheduled || self.state == .running else { return false }
        self.end(as: .paused)
        self.pausedAt = Date(millisecondsSince1970: now.millisecondsSince1970)
        return true
    }

    /// The duration of the pause at a time; zero if it is not paused, or the beginning is unknown.
    public func pauseLength(now: Date) -> Duration {
        guard self.state == .paused, let pausedAt else { return .zero }
        return .milliseconds(max(0, now.millisecondsSince1970.subtractingClamping(pausedAt.millisecondsSince1970)))
    }

    /// Resumes a paused campaign.
    ///
    /// Batches that are enqueued already use the campaign's rate until `paceAt`. `settled` is the current
    /// ``OutcomeCounts/worked``.
    ///
    /// - Returns: whether it was paused.
    public mutating func resume(now: Date, paceAt: Date, settled: Int) -> Bool {
        guard self.state == .paused else { return false }
        self.pausedAt = nil
        // A planner that still holds the former plan has lost the lease by this.
        self.plan?.revision.add(clamping: 1)
        if self.plan?.paceAt != nil { self.plan?.paceAt = paceAt }
        guard let plan else {
            self.state = .scheduled
            self.claimableAt = self.planningTime
            return true
        }
        self.state = .running
        self.stretch = CampaignRateBaseline(since: now, settled: settled)
        self.claimableAt = plan.isDone ? nil : now
        return true
    }

    /// Cancels the campaign.
    ///
    /// - Returns: whether that changed it.
    public mutating func cancel() -> Bool {
        guard !self.state.isFinal else { return false }
        self.end(as: .cancelled)
        return true
    }
}

/// How far a campaign has come.
public enum CampaignState: Hashable, Sendable {
    /// It waits for its start.
    ///
    /// Can transition to: `running` at its start, `paused`, `cancelled`, `expired`, `failed`.
    case scheduled

    /// It is planned and sent.
    ///
    /// Can transition to: `paused`, `completed` with the last outcome, `cancelled`, `expired`, `failed`.
    case running

    /// Nothing of it is planned or sent until it is resumed.
    ///
    /// Can transition to: `scheduled` or `running` when it is resumed, `cancelled`; `completed` when all was sent
    /// before.
    case paused

    /// Every device that was planned has its outcome. Final.
    case completed

    /// It was cancelled; pushes in flight still get their outcomes. Final.
    case cancelled

    /// Its time was over. Final.
    case expired

    /// It could not be planned, for this reason. Final.
    case failed(reason: String)

    /// Whether nothing more is planned.
    public var isFinal: Bool {
        switch self {
        case .scheduled, .running, .paused: false
        case .completed, .cancelled, .expired, .failed: true
        }
    }

    public var name: String {
        switch self {
        case .scheduled: "scheduled"
        case .running: "running"
        case .paused: "paused"
        case .completed: "completed"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .failed: "failed"
        }
    }
}

/// One step of planning, stored in one transaction: the plan behind it, and the batches that it adds.
public struct FanOutStep: Hashable, Sendable {
    public let campaign: CampaignID

    /// The plan, one revision above the stored one.
    public let plan: CampaignFanOut

    /// The batches; none when only the plan changes.
    public let batches: [ScheduledBatch]

    public init(campaign: CampaignID, plan: CampaignFanOut, batches: [ScheduledBatch] = []) {
        self.campaign = campaign
        self.plan = plan
        self.batches = batches
    }
}

/// How far a campaign has come.
public struct CampaignStatus: Hashable, Sendable {
    public let campaign: Campaign
    public let lifecycle: CampaignLifecycle

    /// The outcomes of the enqueued devices so far.
    public let counts: OutcomeCounts

    public init(campaign: Campaign, lifecycle: CampaignLifecycle, counts: OutcomeCounts) {
        self.campaign = campaign
        self.lifecycle = lifecycle
        self.counts = counts
    }

    /// The number of enqueued devices; a token that a token validation tries in both environments counts twice.
    public var enqueued: Int { self.lifecycle.plan?.plannedTargets ?? 0 }

    /// The number of enqueued devices without an outcome.
    public var inFlight: Int { self.enqueued.subtractingClamping(self.counts.total) }

    /// How many devices have no outcome yet, planned or not; `nil` until the audience was counted.
    public var remaining: Int? {
        if self.lifecycle.isPlanned { return self.inFlight }
        return self.lifecycle.plan?.expected.map { max($0, self.enqueued).subtractingClamping(self.counts.total) }
    }

    /// Whether it is sent to all that are left without waiting for a later instant: it runs, and no wave is still to
    /// come.
    ///
    /// - Returns: whether how fast it goes says when it will be done.
    public func isUnderWayToItsEnd(now: Date) -> Bool {
        guard self.lifecycle.state == .running, let plan = self.lifecycle.plan else { return false }
        return plan.waves.allSatisfy { $0.isDone || $0.due <= now }
    }

    /// How many outcomes there were in a second on average since it began or was resumed last.
    ///
    /// - Returns: the average; `nil` while it does not run, or when there were no outcomes.
    public func perSecond(now: Date) -> Double? {
        self.lifecycle.stretch?.perSecond(settled: self.counts.worked, now: now)
    }

    /// Whether the campaign will not change again.
    public var isCompleted: Bool { self.lifecycle.state.isFinal && self.inFlight == 0 }
}
