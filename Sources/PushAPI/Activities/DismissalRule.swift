// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Refuses times at which phones have taken an activity off the Lock Screen long before.
enum DismissalRule {
    /// By how many seconds the caller's clock may be ahead.
    private static let slack = 60.0

    /// Makes sure that a change says no time that lies more than 4 hours behind the end of the activity.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - end: when it is carried out.
    ///   - path: where the change stands in the request.
    /// - Throws: ``Problem`` `.invalidRequest`.
    static func check(_ change: ActivityChange, carriedOutAt end: Date, at path: FieldPath) throws(Problem) {
        guard case .at(let date)? = change.end else { return }
        let latest = end.addingTimeInterval(Double(ActivityLimit.dismissalSeconds))
        guard date.timeIntervalSince(latest) > self.slack else { return }
        throw Problem(
            .invalidRequest,
            at: path.member("end").member("at"),
            expected:
                "a time at most 4 hours behind the end, \(latest.formatted(Timestamp.style)) at the latest, when the "
                + "system takes the activity off the Lock Screen",
            got: date.formatted(Timestamp.style)
        )
    }

    /// The same for what is planned; what is relative to an instant that is not known yet is not looked at.
    static func check(
        _ plan: TransitionPlan,
        _ instants: [InstantName: Date],
        at path: FieldPath
    ) throws(Problem) {
        guard let end = plan.time.date(in: instants) else { return }
        try self.check(plan.change, carriedOutAt: end, at: path)
    }
}
