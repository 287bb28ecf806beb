// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// Decides about the due transitions of one activity: a pure value, the caller passes the time.
public struct DueTransitions: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        /// These are carried out as one change, in this order.
        case carryOut([ActivityTransition])

        /// It was missed and is skipped by its policy, or the stored transition is corrupt.
        case leaveOut(ActivityTransition)
    }

    public let steps: [Step]

    /// Orders the due transitions, and decides about each.
    ///
    /// Transitions of one instant are ordered by name.
    public init(due: [ActivityTransition], now: Date) {
        let due = due.sorted { ($0.dueAt ?? now, $0.key) < ($1.dueAt ?? now, $1.key) }
        var steps: [Step] = []
        var coalesced: [ActivityTransition] = []
        for transition in due {
            let lateness = transition.lateness(now: now)
            if !transition.isReadable || transition.misfire.leavesOut(lateness) {
                steps.append(.leaveOut(transition))
                continue
            }
            coalesced.append(transition)
            guard !transition.misfire.coalesces(lateness) else { continue }
            steps.append(.carryOut(coalesced))
            coalesced = []
        }
        if !coalesced.isEmpty { steps.append(.carryOut(coalesced)) }
        self.steps = steps
    }
}
