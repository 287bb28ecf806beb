// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// A decision on activities of one app that are due at one instant, taken before that instant.
///
/// It is not stored, and locks nothing. An activity that changes before the instant is not carried out by it.
public struct PreparedTransitions: Sendable {
    /// How many seconds after its instant it can be carried out.
    ///
    /// After that, the decision is taken again.
    public static let validSeconds = 1.0

    public let dueAt: Date

    /// The numbers of the activities.
    public let activities: [Int64]

    /// The number of transitions that end by it.
    public let transitions: Int

    /// The number of devices that show a change.
    public let phoneCount: Int

    /// The estimated memory, in bytes.
    public let size: Int

    /// The decision, in the form of the store that took it.
    package let decision: any Sendable

    package init(
        dueAt: Date,
        activities: [Int64],
        transitions: Int,
        phoneCount: Int,
        size: Int,
        decision: any Sendable
    ) {
        self.dueAt = dueAt
        self.activities = activities
        self.transitions = transitions
        self.phoneCount = phoneCount
        self.size = size
        self.decision = decision
    }

    /// The number of activities.
    public var count: Int { self.activities.count }
}

/// The result of planning transitions.
public enum TransitionPlanning: Hashable, Sendable {
    /// They are planned. Each has the time at which it is due, if that is known.
    case planned([ActivityTransition])

    /// None is planned: the activity is over, or would have too many.
    case refused(ActivityRefusal)
}
