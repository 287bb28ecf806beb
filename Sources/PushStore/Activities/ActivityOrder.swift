// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is to change about one activity.
public struct ActivityOrder: Hashable, Sendable {
    /// The activity.
    public var activity: ActivityID

    /// What is to change.
    public var change: ActivityChange

    /// Takes an activity and what is to change about it.
    public init(activity: ActivityID, change: ActivityChange) {
        self.activity = activity
        self.change = change
    }
}

/// What became of an order.
public enum ActivityResult: Hashable, Sendable {
    /// It was carried out.
    case changed(ActivityReceipt)

    /// It was refused, and nothing of it was done.
    case refused(ActivityRefusal)

    /// There is no such activity.
    case unknown
}

/// What a call has sent of an activity.
public struct ActivityReceipt: Hashable, Sendable {
    /// The activity's version now.
    public var version: Int

    /// Where it stands now.
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

    /// Describes what a call has sent.
    ///
    /// - Parameters:
    ///   - version: the activity's version now.
    ///   - state: where it stands now.
    ///   - sent: how many phones are sent something.
    ///   - waiting: how many phones wait for something else first.
    ///   - notification: the notification that sends it, or `nil`.
    ///   - cost: what it costs phones of their budgets, or `nil`.
    ///   - unreachable: the phones that have no token with which a push could start the activity.
    ///   - takingPart: how many of the phones that were to be invited take part already.
    ///   - rollout: the rollout that goes on from now on, or `nil`.
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

/// Which activities are asked for.
public struct ActivityFilter: Hashable, Sendable {
    /// Those of one type; `nil` for all.
    public var attributesType: AttributesType?

    /// Those that are over, or those that are not; `nil` for both.
    public var isOver: Bool?

    /// Those with an instant of that name in a span.
    public var instant: InstantSpan?

    /// A named instant that lies from a time on, and before another one.
    public struct InstantSpan: Hashable, Sendable {
        /// The name.
        public var name: InstantName

        /// The first time that counts.
        public var from: Date

        /// The first time that does not count any more.
        public var until: Date

        /// Takes a name and a span.
        public init(name: InstantName, from: Date, until: Date) {
            self.name = name
            self.from = from
            self.until = until
        }
    }

    /// Asks for activities; for all of them unless told otherwise.
    public init(attributesType: AttributesType? = nil, isOver: Bool? = nil, instant: InstantSpan? = nil) {
        self.attributesType = attributesType
        self.isOver = isOver
        self.instant = instant
    }
}

/// What became of planning transitions.
public enum TransitionPlanning: Hashable, Sendable {
    /// They are planned; each with the time at which it is due, as far as that is known.
    case planned([ActivityTransition])

    /// None is planned: the activity is over, or would have too many.
    case refused(ActivityRefusal)
}

/// What was done of what was due.
public struct TransitionReport: Hashable, Sendable {
    /// One transition that came to its end.
    public struct Entry: Hashable, Sendable {
        /// The app.
        public let app: AppID

        /// The activity.
        public let activity: ActivityID

        /// The transition, as it is now.
        public let transition: ActivityTransition

        /// Describes a transition that came to its end.
        ///
        /// - Parameters:
        ///   - app: the app.
        ///   - activity: the activity.
        ///   - transition: the transition, as it is now.
        public init(app: AppID, activity: ActivityID, transition: ActivityTransition) {
            self.app = app
            self.activity = activity
            self.transition = transition
        }
    }

    /// The transitions that came to their end, in the order of their times for each activity.
    public var entries: [Entry]

    /// How many activities expired.
    public var expired: Int

    /// How many activities could not be read, and were set aside for an hour.
    public var setAside: Int

    /// Whether more may be due.
    public var hasMore: Bool

    /// Describes what was done; nothing by default.
    ///
    /// - Parameters:
    ///   - entries: the transitions that came to their end.
    ///   - expired: how many activities expired.
    ///   - setAside: how many activities could not be read.
    ///   - hasMore: whether more may be due.
    public init(entries: [Entry] = [], expired: Int = 0, setAside: Int = 0, hasMore: Bool = false) {
        self.entries = entries
        self.expired = expired
        self.setAside = setAside
        self.hasMore = hasMore
    }
}

/// What was removed by one call of ``ActivityStore/removeActivities(overBefore:limit:)``.
public struct PrunedActivities: Hashable, Sendable {
    /// How many activities were removed to their end.
    public var activities: Int

    /// Whether another call may find more.
    public var hasMore: Bool

    /// Takes a count; by default nothing was removed.
    public init(activities: Int = 0, hasMore: Bool = false) {
        self.activities = activities
        self.hasMore = hasMore
    }
}
