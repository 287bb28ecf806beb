// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

extension SendVerdict {
    /// Why a target is put off that is to be sent to again, in one word: Apple's reason, `certificate`, `deadline`,
    /// `connection`, `unreachable` or `not-sent`.
    ///
    /// `nil` where it is not put off, and where that says nothing of APNs, since the sending was called off.
    var deferralReason: String? {
        switch self {
        case .delivered, .final, .cancelled: nil
        // A certificate that is refused in TLS: whatever else is refused has a reason of Apple's that is known.
        case .refused(let rejection) where rejection.reason.entry == nil: "certificate"
        case .refused(let rejection), .again(.rejected(let rejection)), .later(.rejected(let rejection), _):
            rejection.reason.rawValue
        case .again(.failed(let code)), .later(.failed(let code), _): code.rawValue
        case .again(.delivered), .later(.delivered, _): nil
        case .unreachable: "unreachable"
        case .notSent: "not-sent"
        }
    }
}
