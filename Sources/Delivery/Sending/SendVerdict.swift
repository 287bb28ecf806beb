// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

/// What an answer of the client means for its target.
enum SendVerdict: Hashable {
    /// APNs accepted it.
    case delivered

    case final(Outcome)

    /// It may be sent again after a back-off, a few times; then that is its outcome.
    case again(Outcome)

    /// APNs refuses the credential, not the target: it keeps its turn.
    case refused(Rejection)

    /// APNs asks to send it again not before a delay, longer each time; while there is time left that is done.
    case later(Outcome, after: Duration)

    /// It was not sent, since APNs cannot be reached: it keeps its turn.
    case unreachable(String)

    /// It was not sent, since its turn did not come in time: it keeps its turn.
    case notSent

    /// It was not sent, since the sending was called off or the client stops: it keeps its turn.
    case cancelled

    /// Judges an answer: a rejection by its reason's next step, a failure by whether APNs may have seen it.
    ///
    /// A credential that APNs refuses altogether (403) says nothing of the target, which waits for another one. One that
    /// may not send to this topic (400) will not later either: that is the outcome. So is a 403 of a reason that nobody
    /// knows: it may be the target's.
    init(_ outcome: SendOutcome) {
        switch outcome {
        case .accepted: self = .delivered
        case .rejected(let rejection): self = Self.verdict(on: rejection)
        case .failed(let failure): self = Self.verdict(on: failure)
        }
    }

    private static func verdict(on rejection: Rejection) -> SendVerdict {
        switch rejection.nextStep {
        case .fixCredential where rejection.status == 403 && rejection.reason.entry != nil: .refused(rejection)
        // The client has made a new provider token, or tried other connections, by then.
        case .retryNow where rejection.status == 403: .refused(rejection)
        case .retryNow: .again(.rejected(rejection))
        case .retryLater(let delay): .later(.rejected(rejection), after: delay)
        case .never, .pruneToken, .suspectToken, .fixCredential, .fixRequest: .final(.rejected(rejection))
        }
    }

    private static func verdict(on failure: SendFailure) -> SendVerdict {
        switch failure.code {
        case .deadlineExceeded: .again(.failed(.deadline))
        case .connectionLost, .streamReset: .again(.failed(.connection))
        case .unreachable: .unreachable(failure.message)
        case .certificateRefused: .refused(Rejection(inTLS: failure))
        case .notSent: .notSent
        case .badCredential: .final(.failed(.badCredential))
        // A client that stops says nothing of whether APNs is there.
        case .cancelled, .shuttingDown: .cancelled
        }
    }
}

extension Rejection {
    /// The refusal of a client certificate: what APNs says of a key with a 403 it says of a certificate in TLS already.
    ///
    /// The reason is none of Apple's, which have no words for it, but the client's message.
    init(inTLS failure: SendFailure) {
        self.init(status: 403, reason: RejectionReason(rawValue: failure.message))
    }
}

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
