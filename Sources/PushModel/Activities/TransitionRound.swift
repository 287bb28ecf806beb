// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// What becomes of the transitions of one activity that are due: a value without a store and a clock.
public struct TransitionRound: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        /// These are carried out as one change, in this order.
        case carryOut([ActivityTransition])

        /// It was missed, and is left out as its policy says; or what was planned cannot be read.
        case leaveOut(ActivityTransition)
    }

    public let steps: [Step]

    /// Orders the transitions that are due, and decides what becomes of each.
    ///
    /// Transitions of one instant are ordered by their names.
    public init(due: [ActivityTransition], now: Date) {
        let due = due.sorted { ($0.dueAt ?? now, $0.key) < ($1.dueAt ?? now, $1.key) }
        var steps: [Step] = []
        var folded: [ActivityTransition] = []
        for transition in due {
            let lateness = transition.lateness(now: now)
            if !transition.isReadable || transition.misfire.leavesOut(lateness) {
                steps.append(.leaveOut(transition))
                continue
            }
            folded.append(transition)
            guard !transition.misfire.folds(lateness) else { continue }
            steps.append(.carryOut(folded))
            folded = []
        }
        if !folded.isEmpty { steps.append(.carryOut(folded)) }
        self.steps = steps
    }
}
