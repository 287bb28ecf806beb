// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What a screening has found out so far.
public struct ScreeningReport: Hashable, Sendable {
    /// How many devices have an outcome in their own environment.
    public let checked: Int

    /// Whose token is good where it is.
    public let alive: Int

    /// Whose token is dead, by a 410 in either environment.
    public let dead: Int

    /// Whose token is called bad in its own environment and accepted in the other one.
    public let otherEnvironment: Int

    /// How many of these were corrected.
    public let corrected: Int

    /// Whose token is called bad in both environments: it never was one of this app's, or is damaged.
    public let bad: Int

    /// Of whom nothing was found out, by what APNs or we said instead.
    ///
    /// A token that is bad in its own environment is one of these until it was tried in the other one.
    public let unknown: OutcomeCounts

    /// Adds up what the devices of a screening came to.
    public init(_ status: CampaignStatus) {
        let recheck = status.lifecycle.plan?.recheck
        let first = recheck?.first ?? status.counts
        let second = recheck?.first == nil ? OutcomeCounts() : status.counts - first
        self.checked = first.total
        self.alive = first.delivered
        self.dead = first.dead + second.dead
        self.otherEnvironment = second.delivered
        self.corrected = recheck?.corrected ?? 0
        self.bad = second.rejected[.badDeviceToken] ?? 0
        var unknown = first.undecided + second.undecided
        let untried = (first.rejected[.badDeviceToken] ?? 0) - second.total
        if untried > 0 { unknown.rejected[.badDeviceToken] = untried }
        self.unknown = unknown
    }
}

extension OutcomeCounts {
    /// How many tokens APNs has called dead.
    fileprivate var dead: Int {
        self.rejected.reduce(0) { $0 + ($1.key.entry?.nextStep == .pruneToken ? $1.value : 0) }
    }

    /// What says nothing of a token.
    fileprivate var undecided: OutcomeCounts {
        let rejected = self.rejected.filter { $0.key != .badDeviceToken && $0.key.entry?.nextStep != .pruneToken }
        return OutcomeCounts(rejected: rejected, failed: self.failed)
    }

    /// The differences of two counts, of which the second was a part of the first.
    fileprivate static func - (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts(
            delivered: left.delivered - right.delivered,
            rejected: left.rejected.merging(right.rejected, uniquingKeysWith: -).filter { $0.value > 0 },
            failed: left.failed.merging(right.failed, uniquingKeysWith: -).filter { $0.value > 0 }
        )
    }
}
