// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

extension Problem {
    /// A change of an activity was refused.
    init(_ refusal: ActivityRefusal) {
        let code: ProblemCode =
            switch refusal {
            case .over: .activityOver
            case .noContentState: .activityStateUnknown
            case .tooLarge: .payloadTooLarge
            case .notStartable: .activityNotStartable
            case .tooMany: .activityLimit
            case .notFinite: .invalidRequest
            case .overBudget: .activityOverBudget
            case .mismatch: .contentMismatch
            case .damaged: .storeCorrupt
            }
        let faults = if case .mismatch(let found) = refusal { found } else { [ValidationFailure]() }
        self.init(code, refusal.message, faults: faults)
    }

    /// There is no activity of the name in the path.
    static var unknownActivity: Problem {
        Problem(.activityNotFound, "The app has no activity of the name in the path.")
    }
}
