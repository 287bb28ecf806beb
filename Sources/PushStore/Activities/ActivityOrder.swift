// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
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

public enum TransitionPlanning: Hashable, Sendable {
    /// They are planned. Each has the time at which it is due, if that is known.
    case planned([ActivityTransition])

    /// None is planned: the activity is over, or would have too many.
    case refused(ActivityRefusal)
}
