// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel

public struct ActivityUpdate: Hashable, Sendable {
    public var activity: ActivityID
    public var change: ActivityChange

    public init(activity: ActivityID, change: ActivityChange) {
        self.activity = activity
        self.change = change
    }
}

/// The pushes that a call sends of an activity.
public struct ActivityUpdateResult: Hashable, Sendable {
    public package(set) var version: Int
    public package(set) var state: ActivityLifecycle.State

    /// The number of devices that are sent a push by this call.
    public package(set) var sent: Int

    /// The number of devices that are sent the latest state later, when their push in flight has an outcome.
    public package(set) var pending = 0

    /// The notification that sends the pushes, possibly also those of other activities; `nil` if nothing is sent.
    public package(set) var notification: NotificationID?

    /// The cost for the budgets of the devices; `nil` if no push has priority 10.
    public package(set) var cost: BudgetImpact?

    /// The devices to start the activity on that have no token with which a push could do so.
    public package(set) var notStartable: [DeviceID]

    /// The number of devices to start the activity on that participate already, and are not sent another start.
    public package(set) var alreadyParticipating = 0

    /// The rollout that starts the activity on the devices of an audience.
    public package(set) var rollout: ActivityRollout?

    package init(
        version: Int,
        state: ActivityLifecycle.State,
        sent: Int = 0,
        notification: NotificationID? = nil,
        cost: BudgetImpact? = nil,
        notStartable: [DeviceID] = []
    ) {
        self.version = version
        self.state = state
        self.sent = sent
        self.notification = notification
        self.cost = cost
        self.notStartable = notStartable
    }
}

/// The result of executing due transitions.
public struct TransitionReport: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let app: AppID
        public let activity: ActivityID
        public let transition: ActivityTransition

        package init(app: AppID, activity: ActivityID, transition: ActivityTransition) {
            self.app = app
            self.activity = activity
            self.transition = transition
        }
    }

    /// The transitions that ended, for each activity in the order of their times.
    public var entries: [Entry]
    public var expired = 0

    /// The number of corrupt activities, which were quarantined for an hour.
    public var setAside: Int

    public var hasMore: Bool

    package init(entries: [Entry] = [], setAside: Int = 0, hasMore: Bool = false) {
        self.entries = entries
        self.setAside = setAside
        self.hasMore = hasMore
    }
}
