// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How far a campaign has come.
public struct CampaignStatus: Hashable, Sendable {
    /// The campaign.
    public let campaign: Campaign

    /// Whether it is planned and sent, and how far it is planned.
    public let lifecycle: CampaignLifecycle

    /// What the devices that were planned came to so far.
    public let counts: OutcomeCounts

    /// Describes how far a campaign has come.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - lifecycle: whether it is planned and sent, and how far it is planned.
    ///   - counts: what the devices that were planned came to so far.
    public init(campaign: Campaign, lifecycle: CampaignLifecycle, counts: OutcomeCounts) {
        self.campaign = campaign
        self.lifecycle = lifecycle
        self.counts = counts
    }

    /// How many devices were planned; a token that a screening tries in both environments counts twice.
    public var planned: Int { self.lifecycle.plan?.plannedTargets ?? 0 }

    /// How many devices were planned and have no outcome yet.
    public var underWay: Int { self.planned - self.counts.total }

    /// How many devices have no outcome yet, planned or not; `nil` until the audience was counted.
    public var remaining: Int? {
        if self.lifecycle.isPlanned { return self.underWay }
        return self.lifecycle.plan?.expected.map { max($0, self.planned) - self.counts.total }
    }

    /// Whether it is sent to all that are left without waiting for a later instant: it runs, and no wave is still to come.
    ///
    /// - Parameter now: the time.
    /// - Returns: whether how fast it goes says when it will be done.
    public func isUnderWayToItsEnd(now: Date) -> Bool {
        guard self.lifecycle.state == .running, let plan = self.lifecycle.plan else { return false }
        return plan.waves.allSatisfy { $0.isDone || $0.due <= now }
    }

    /// How many outcomes there were in a second on average since it began or was resumed last.
    ///
    /// - Parameter now: the time.
    /// - Returns: the average; `nil` while it does not run, or when there were no outcomes.
    public func perSecond(now: Date) -> Double? {
        self.lifecycle.stretch?.perSecond(settled: self.counts.worked, now: now)
    }

    /// Whether nothing of it will change any more.
    public var isSettled: Bool { self.lifecycle.state.isFinal && self.underWay == 0 }
}
