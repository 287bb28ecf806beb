// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation

/// The devices of an activity to which a change would be sent, with their recent pushes.
///
/// If an activity has more devices than are sent to at once, those that joined first represent all of them.
package struct ActivityBudgetUsage: Sendable {
    private let devices: [ActivityParticipant]
    /// The number of devices that are sent to, with the channel of the activity.
    package let reached: Int
    private let now: Date

    package init(_ devices: some Sequence<ActivityParticipant>, now: Date) {
        let reached = devices.filter { participant in
            var participant = participant
            // A device whose 8 hours are over is sent nothing.
            _ = participant.expire(now: now)
            return participant.target != nil
        }
        self.reached = reached.count
        // A channel has a separate budget.
        self.devices = reached.filter { $0.origin != .channel }
        self.now = now
    }

    /// The cost of a change; `nil` if its priority is not 10, or no device would show it.
    package func cost(_ change: ActivityChange) -> BudgetImpact? {
        guard change.isVisible, change.priority == .immediate, !self.devices.isEmpty else { return nil }
        var cost = BudgetImpact()
        for device in self.devices { _ = cost.add(device, of: change.budget ?? PushBudget(), now: self.now) }
        return cost
    }

    /// Rejects a change that exceeds the budget of a device, if its policy asks for that.
    package func check(_ change: ActivityChange) throws(ActivityError) {
        guard change.budget?.policy == .reject, let refusal = self.cost(change)?.refusal(.reject) else { return }
        throw refusal
    }
}
