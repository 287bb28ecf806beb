// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
public import PushModel

/// What is to change about one activity.
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

        /// The transition, as it is now.
        public let transition: ActivityTransition

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

    public init(entries: [Entry] = [], expired: Int = 0, setAside: Int = 0, hasMore: Bool = false) {
        self.entries = entries
        self.expired = expired
        self.setAside = setAside
        self.hasMore = hasMore
    }
}

/// The phones of an activity that a change would be sent to, with what they were sent lately.
///
/// Of an activity that has more than are sent to at once, those stand for all that joined first: they were sent most.
package struct ActivityCosts: Sendable {
    private var phones: [ActivityParticipant] = []
    /// How many are sent to, with the channel of the activity.
    private var reached = 0
    private var now = Date(timeIntervalSince1970: 0)

    package init() {}

    fileprivate init(_ participants: [ActivityParticipant], now: Date) {
        let reached = participants.filter { $0.target != nil }
        self.reached = reached.count
        // A channel has a budget of its own.
        self.phones = reached.filter { $0.origin != .channel }
        self.now = now
    }

    /// What a change would cost them; `nil` where it is not of priority 10, or nobody would see it.
    package func cost(_ change: ActivityChange) -> BudgetCost? {
        guard change.isVisible, change.priority == .immediate, !self.phones.isEmpty else { return nil }
        var cost = BudgetCost()
        for phone in self.phones { _ = cost.add(phone, of: change.budget ?? PushBudget(), now: self.now) }
        return cost
    }

    /// Refuses a change for which they have no room, where its budget wants that.
    package func check(_ change: ActivityChange) throws(ActivityRefusal) {
        guard change.budget?.policy == .refuse, let refusal = self.cost(change)?.refusal(.refuse) else { return }
        throw refusal
    }

    /// What a change would come to.
    ///
    /// - Returns: the receipt, by which nothing was sent.
    func receipt(_ change: ActivityChange, _ lifecycle: ActivityLifecycle) -> ActivityReceipt {
        ActivityReceipt(
            version: lifecycle.version,
            state: lifecycle.state,
            sent: change.isVisible ? self.reached : 0,
            cost: self.cost(change)
        )
    }
}

extension ActivityTables {
    /// The phones of activities with what they were sent lately, by the activities' numbers.
    package func costs(ofActivities rows: [ActivityRow], now: Date) throws -> [Int64: ActivityCosts] {
        var costs: [Int64: ActivityCosts] = [:]
        var few: [Int64] = []
        var room = 0
        func readFew() throws {
            let found = try few.isEmpty ? [] : self.participantRows(ofActivities: few)
            for (number, phones) in Dictionary(grouping: found, by: \.activity) {
                costs[number] = Self.costs(phones, now: now)
            }
            (few, room) = ([], ActivityLimit.participantsAtOnce)
        }
        for row in rows.sorted(by: { $0.number < $1.number }) where row.joined > 0 {
            if row.joined > ActivityLimit.participantsAtOnce {
                let limit = ActivityLimit.participantsAtOnce
                let phones = try self.participantRows(ofActivity: row.number, after: 0, limit: limit)
                costs[row.number] = Self.costs(phones, now: now)
                continue
            }
            if row.joined > room { try readFew() }
            few.append(row.number)
            room -= row.joined
        }
        try readFew()
        return costs
    }

    private static func costs(_ rows: [ParticipantRow], now: Date) -> ActivityCosts {
        let phones = rows.map { row in
            var phone = row.participant
            // One whose 8 hours are over is sent nothing.
            _ = phone.expire(now: now)
            return phone
        }
        return ActivityCosts(phones, now: now)
    }
}
