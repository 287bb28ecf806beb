// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

extension Problem {
    /// There is no channel of the name in the path.
    static var unknownChannel: Problem {
        Problem(.channelNotFound, "The app has no channel of the name in the path.")
    }

    /// The name of a channel that is to be made is taken.
    static func taken(_ channel: BroadcastChannel) -> Problem {
        switch channel.state {
        case .deleting: Problem(.channelExists, "The channel of this name is being deleted: `DELETE` it again first.")
        case .active, .creating:
            Problem(
                .channelExists,
                "The app has a channel of this name in \(channel.environment.rawValue), whose message storage is "
                    + "\(channel.policy.word)."
            )
        }
    }

    /// What APNs did not do, or has not said; whatever else went wrong stays as it is.
    static func managing(_ error: any Error) -> any Error {
        guard let failure = error as? ChannelManagementFailure else { return error }
        switch failure.code {
        case .noCredential: return Problem(.noCredential, failure.message, cause: failure)
        case .unreachable:
            return Problem(.apnsUnavailable, "APNs cannot be reached: \(failure.message)", cause: failure)
        case .lost:
            let detail = "APNs' answer was lost, so that it may have done it: \(failure.message)"
            return Problem(.apnsUnavailable, detail, cause: failure)
        case .rejected(let rejection): return Problem(managing: rejection, cause: failure)
        }
    }

    private init(managing rejection: Rejection, cause: any Error) {
        let code: ProblemCode =
            switch rejection.reason {
            case .cannotCreateChannelConfig: .channelLimit
            case .featureNotEnabled: .broadcastDisabled
            case _ where rejection.status == 429 || rejection.status >= 500: .apnsUnavailable
            default: .apnsRefused
            }
        let words = rejection.reason.entry.map { ": \($0.meaning)" } ?? ""
        self.init(code, "APNs answered \(rejection.status) \(rejection.reason)\(words)", cause: cause)
    }
}
