// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

/// The consequence of a result of the client for its target.
enum SendDisposition: Hashable {
    case delivered
    case final(Outcome)

    /// It is retried after a backoff, a limited number of times; then this is its outcome.
    case again(Outcome)

    /// APNs rejected the credential, not the target, which stays queued.
    case refused(Rejection)

    /// APNs asks for a retry after a delay, which grows each time; it is retried until the batch expires.
    case later(Outcome, after: Duration)

    /// It was not sent, because APNs is unreachable. It stays queued.
    case unreachable(String)

    /// It was not sent, because no stream was free within the timeout. It stays queued.
    case notSent

    /// It was not sent, because the task was cancelled or the client stops. It stays queued.
    case cancelled

    /// Evaluates a result: a rejection by the next step of its reason, a failure by whether APNs may have received the
    /// push.
    ///
    /// A 403 with a known reason rejects the credential and says nothing about the target, which waits for another
    /// credential. A 400 because the credential may not send to this topic is final. So is a 403 with an unknown
    /// reason, because the target may be the cause.
    init(_ outcome: SendOutcome) {
        switch outcome {
        case .accepted: self = .delivered
        case .rejected(let rejection):
            switch rejection.nextStep {
            case .fixCredential where rejection.status == 403 && rejection.reason.entry != nil:
                self = .refused(rejection)
            // The client has already made a new provider token, or tried other connections.
            case .retryNow where rejection.status == 403: self = .refused(rejection)
            case .retryNow: self = .again(.rejected(rejection))
            case .retryLater(let delay): self = .later(.rejected(rejection), after: delay)
            case .never, .pruneToken, .suspectToken, .fixCredential, .fixRequest: self = .final(.rejected(rejection))
            }
        case .failed(let failure):
            switch failure.code {
            case .deadlineExceeded: self = .again(.failed(.timeout))
            case .connectionLost, .streamReset: self = .again(.failed(.connectionLost))
            case .unreachable: self = .unreachable(failure.message)
            case .certificateRefused: self = .refused(Rejection(inTLS: failure))
            case .notSent: self = .notSent
            case .badCredential: self = .final(.failed(.invalidCredential))
            // A shutdown is no evidence that APNs is unreachable.
            case .cancelled, .shuttingDown: self = .cancelled
            }
        }
    }
}

extension Rejection {
    /// Creates the rejection of a client certificate in the TLS handshake, which corresponds to a 403 for a key.
    ///
    /// The reason is the message of the client, because Apple has no reason for it.
    init(inTLS failure: SendFailure) {
        self.init(status: 403, reason: RejectionReason(rawValue: failure.message))
    }
}

extension SendDisposition {
    /// The label of a deferral: the APNs reason, or `certificate`, `timeout`, `connection_lost`, `unreachable`,
    /// `not_sent`.
    ///
    /// `nil` if the target is not deferred, and if the cancellation says nothing about APNs.
    var deferralReason: String? {
        switch self {
        case .delivered, .final, .cancelled: nil
        // A certificate that was rejected in TLS; all other rejected credentials have a known reason.
        case .refused(let rejection) where rejection.reason.entry == nil: "certificate"
        case .refused(let rejection), .again(.rejected(let rejection)), .later(.rejected(let rejection), _):
            rejection.reason.rawValue
        case .again(.failed(let code)), .later(.failed(let code), _): code.rawValue
        case .again(.delivered), .later(.delivered, _): nil
        case .unreachable: "unreachable"
        case .notSent: "not_sent"
        }
    }
}
