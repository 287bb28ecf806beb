// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

/// What an answer of the client means for its target.
enum SendVerdict: Hashable {
    /// APNs accepted it.
    case delivered

    /// That is its outcome.
    case final(Outcome)

    /// It may be sent again, not before `floor`; if it cannot be, that is its outcome.
    case again(Outcome, floor: Duration)

    /// It was not sent, since APNs cannot be reached: it keeps its turn.
    case unreachable(String)

    /// It was not sent, since the sending was called off: it keeps its turn.
    case cancelled

    /// Judges an answer.
    ///
    /// A delay that APNs asks for is kept to if it is at most `patience`. Of longer ones those of a failing server are
    /// retried after a back-off, and those that concern the token or the credential are not.
    /// - Parameters:
    ///   - outcome: the answer.
    ///   - patience: the longest wait between two attempts.
    init(_ outcome: SendOutcome, patience: Duration) {
        switch outcome {
        case .accepted: self = .delivered
        case .rejected(let rejection): self = Self.verdict(on: rejection, patience: patience)
        case .failed(let failure): self = Self.verdict(on: failure)
        }
    }

    private static func verdict(on rejection: Rejection, patience: Duration) -> SendVerdict {
        switch rejection.nextStep {
        case .retryNow: .again(.rejected(rejection), floor: .zero)
        case .retryLater(let delay) where delay <= patience: .again(.rejected(rejection), floor: delay)
        case .retryLater where rejection.status >= 500: .again(.rejected(rejection), floor: .zero)
        case .retryLater, .never, .pruneToken, .suspectToken, .fixCredential, .fixRequest: .final(.rejected(rejection))
        }
    }

    private static func verdict(on failure: SendFailure) -> SendVerdict {
        switch failure.code {
        case .deadlineExceeded: .again(.failed(.deadline), floor: .zero)
        case .connectionLost, .streamReset: .again(.failed(.connection), floor: .zero)
        case .unreachable, .shuttingDown: .unreachable(failure.message)
        case .cancelled: .cancelled
        }
    }
}
