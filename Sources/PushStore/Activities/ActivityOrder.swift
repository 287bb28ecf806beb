// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

public struct ActivityOrder: Hashable, Sendable {
    public var activity: ActivityID
    public var change: ActivityChange

    public init(activity: ActivityID, change: ActivityChange) {
        self.activity = activity
        self.change = change
    }
}

/// What a call has sent of an activity.
public struct ActivityReceipt: Hashable, Sendable {
    public var version: Int
    public var state: ActivityLifecycle.State

    /// How many phones are sent something by this call.
    public var sent: Int

    /// How many phones wait for something else first, and are sent the newest state then.
    public var waiting: Int

    /// The notification that sends it; `nil` when nothing is sent.
    ///
    /// Several activities may share it.
    public var notification: NotificationID?

    /// What it costs phones of their budgets; `nil` where no push is of priority 10.
    public var cost: BudgetCost?

    /// The phones that were to be invited but have no token with which a push could start the activity.
    public var unreachable: [InstallationID]

    /// How many of the phones that were to be invited take part already, as far as is known, and are not sent another start.
    public var takingPart: Int

    /// The rollout that starts the activity on the devices of an audience from now on; `nil` where none was asked for.
    public var rollout: ActivityRollout?

    public init(
        version: Int,
        state: ActivityLifecycle.State,
        sent: Int = 0,
        waiting: Int = 0,
        notification: NotificationID? = nil,
        cost: BudgetCost? = nil,
        unreachable: [InstallationID] = [],
        takingPart: Int = 0,
        rollout: ActivityRollout? = nil
    ) {
        self.version = version
        self.state = state
        self.sent = sent
        self.waiting = waiting
        self.notification = notification
        self.cost = cost
        self.unreachable = unreachable
        self.takingPart = takingPart
        self.rollout = rollout
    }
}

/// What was done of what was due.
public struct TransitionReport: Hashable, Sendable {
    /// One transition that came to its end.
    public struct Entry: Hashable, Sendable {
        public let app: AppID
        public let activity: ActivityID
        public let transition: ActivityTransition

        public init(app: AppID, activity: ActivityID, transition: ActivityTransition) {
            self.app = app
            self.activity = activity
            self.transition = transition
        }
    }

    /// The transitions that came to their end, in the order of their times for each activity.
    public var entries: [Entry]
    public var expired: Int

    /// How many activities could not be read, and were set aside for an hour.
    public var setAside: Int

    /// Whether more may be due.
    public var hasMore: Bool

    public init(entries: [Entry] = [], expired: Int = 0, setAside: Int = 0, hasMore: Bool = false) {
        self.entries = entries
        self.expired = expired
        self.setAside = setAside
        self.hasMore = hasMore
    }
}

/// A decision on activities of one app that are due at one instant, taken before that instant.
///
/// It is not stored, and locks nothing. An activity that changes before the instant is not carried out by it.
public struct PreparedTransitions: Sendable {
    /// How many seconds after its instant it can be carried out; after that, the decision is taken again.
    public static let validSeconds = 1.0

    public let dueAt: Date
    public let activities: [Int64]
    public var count: Int { self.activities.count }

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
}

public enum TransitionPlanning: Hashable, Sendable {
    /// They are planned. Each has the time at which it is due, if that is known.
    case planned([ActivityTransition])

    /// None is planned: the activity is over, or would have too many.
    case refused(ActivityRefusal)
}
