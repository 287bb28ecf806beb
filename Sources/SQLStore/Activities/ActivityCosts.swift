// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The devices of an activity to which a change would be sent, with their recent pushes.
///
/// If an activity has more devices than are sent to at once, those that joined first represent all of them.
struct ActivityCosts: Sendable {
    private let phones: [ActivityParticipant]
    /// The number of devices that are sent to, with the channel of the activity.
    private let reached: Int
    private let now: Date

    init(_ rows: [ParticipantRow] = [], now: Date) {
        let reached = rows.map(\.participant).filter { participant in
            var participant = participant
            // A device whose 8 hours are over is sent nothing.
            _ = participant.expire(now: now)
            return participant.target != nil
        }
        self.reached = reached.count
        // A channel has a budget of its own.
        self.phones = reached.filter { $0.origin != .channel }
        self.now = now
    }

    /// The cost of a change; `nil` if its priority is not 10, or no device would show it.
    func cost(_ change: ActivityChange) -> BudgetCost? {
        guard change.isVisible, change.priority == .immediate, !self.phones.isEmpty else { return nil }
        var cost = BudgetCost()
        for phone in self.phones { _ = cost.add(phone, of: change.budget ?? PushBudget(), now: self.now) }
        return cost
    }

    /// Refuses a change that exceeds the budget of a device, if its policy asks for that.
    func check(_ change: ActivityChange) throws(ActivityRefusal) {
        guard change.budget?.policy == .refuse, let refusal = self.cost(change)?.refusal(.refuse) else { return }
        throw refusal
    }

    func receipt(_ change: ActivityChange, _ lifecycle: ActivityLifecycle) -> ActivityReceipt {
        ActivityReceipt(
            version: lifecycle.version,
            state: lifecycle.state,
            sent: change.isVisible ? self.reached : 0,
            cost: self.cost(change)
        )
    }
}

extension SQLExecutor {
    /// The costs of changes of activities, by the numbers of the activities.
    func costs(ofActivities rows: [ActivityRow], now: Date) throws -> [Int64: ActivityCosts] {
        var costs: [Int64: ActivityCosts] = [:]
        var few: [Int64] = []
        var room = 0
        func readFew() throws {
            let found = try few.isEmpty ? [] : self.participantRows(ofActivities: few)
            for (number, phones) in Dictionary(grouping: found, by: \.activity) {
                costs[number] = ActivityCosts(phones, now: now)
            }
            (few, room) = ([], ActivityLimit.participantsAtOnce)
        }
        for row in rows.sorted(by: { $0.number < $1.number }) where row.joined > 0 {
            if row.joined > ActivityLimit.participantsAtOnce {
                let limit = ActivityLimit.participantsAtOnce
                let phones = try self.participantRows(ofActivity: row.number, after: 0, limit: limit)
                costs[row.number] = ActivityCosts(phones, now: now)
                continue
            }
            if row.joined > room { try readFew() }
            few.append(row.number)
            room -= row.joined
        }
        try readFew()
        return costs
    }
}
