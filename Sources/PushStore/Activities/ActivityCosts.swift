// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The phones of an activity that a change would be sent to, with what they were sent lately.
///
/// Of an activity that has more than are sent to at once, those stand for all that joined first: they were sent most.
package struct ActivityCosts: Sendable {
    private var phones: [ActivityParticipant] = []
    /// How many are sent to, with the channel of the activity.
    private var reached = 0
    private var now = Date(timeIntervalSince1970: 0)

    /// There are no phones.
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
    /// - Parameters:
    ///   - change: the change.
    ///   - lifecycle: where the activity would stand.
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
