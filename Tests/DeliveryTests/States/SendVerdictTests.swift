// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel
import Testing

@testable import Delivery

@Suite("What an answer means")
struct SendVerdictTests {
    @Test(
        "each rejection is final, tried again, tried later or laid at the credential's door as its reason asks",
        arguments: [
            (.unregistered, .never),
            (.badDeviceToken, .never),
            (.payloadTooLarge, .never),
            (.topicDisallowed, .never),
            (.forbidden, .never),
            (.invalidProviderToken, .refused),
            (.badCertificate, .refused),
            (.badCertificateEnvironment, .refused),
            (.badEnvironmentKeyInToken, .refused),
            (.missingProviderToken, .refused),
            // The client makes a new provider token, or tries other connections, before it says so.
            (.expiredProviderToken, .refused),
            (.unrelatedKeyIDInToken, .refused),
            (.idleTimeout, .again),
            (.tooManyRequests, .later(.seconds(60))),
            (.tooManyProviderTokenUpdates, .later(.seconds(20 * 60))),
            (.internalServerError, .later(.seconds(15 * 60))),
            (.serviceUnavailable, .later(.seconds(15 * 60))),
            (.shutdown, .later(.seconds(15 * 60))),
        ] as [(RejectionReason, Turn)]
    )
    func rejections(reason: RejectionReason, turn: Turn) {
        let rejection = Rejection(reason)
        let expected: SendDisposition =
            switch turn {
            case .never: .final(.rejected(rejection))
            case .again: .again(.rejected(rejection))
            case .refused: .refused(rejection)
            case .later(let delay): .later(.rejected(rejection), after: delay)
            }
        #expect(SendDisposition(.rejected(rejection)) == expected)
    }

    enum Turn {
        case never
        case again
        case refused
        case later(Duration)
    }

    @Test("an unknown reason is judged by its status", arguments: [500, 502, 503])
    func unknown(status: Int) {
        let rejection = Rejection(status: status, reason: RejectionReason(rawValue: "NewReason"))
        let verdict = SendDisposition(.rejected(rejection))
        #expect(verdict == .later(.rejected(rejection), after: RejectionReasonInfo.serverErrorDelay))
    }

    @Test("a refusal of an unknown reason is the target's outcome: it pauses nothing")
    func unknownRefusal() {
        let rejection = Rejection(status: 403, reason: RejectionReason(rawValue: "NewReason"))
        #expect(SendDisposition(.rejected(rejection)) == .final(.rejected(rejection)))
    }

    @Test(
        "what was never sent keeps its turn; what may have been sent is an attempt",
        arguments: [
            (.unreachable, .unreachable("no answer")),
            (.certificateRefused, .refused(Rejection(status: 403, reason: RejectionReason(rawValue: "no answer")))),
            (.shuttingDown, .cancelled),
            (.cancelled, .cancelled),
            (.notSent, .notSent),
            (.badCredential, .final(.failed(.invalidCredential))),
            (.deadlineExceeded, .again(.failed(.timeout))),
            (.connectionLost, .again(.failed(.connectionLost))),
            (.streamReset, .again(.failed(.connectionLost))),
        ] as [(SendFailure.Code, SendDisposition)]
    )
    func failures(code: SendFailure.Code, verdict: SendDisposition) {
        #expect(SendDisposition(.failed(SendFailure(code: code, message: "no answer"))) == verdict)
    }

    @Test(
        "what is put off is counted by Apple's word or by what was missing, and nothing else is",
        arguments: [
            (.rejected(Rejection(.tooManyRequests)), "TooManyRequests"),
            (.rejected(Rejection(.serviceUnavailable)), "ServiceUnavailable"),
            (.rejected(Rejection(.idleTimeout)), "IdleTimeout"),
            (.rejected(Rejection(.invalidProviderToken)), "InvalidProviderToken"),
            (.failed(SendFailure(code: .deadlineExceeded, message: "")), "timeout"),
            (.failed(SendFailure(code: .connectionLost, message: "")), "connection_lost"),
            (.failed(SendFailure(code: .streamReset, message: "")), "connection_lost"),
            (.failed(SendFailure(code: .unreachable, message: "")), "unreachable"),
            (.failed(SendFailure(code: .notSent, message: "")), "not_sent"),
            (.failed(SendFailure(code: .certificateRefused, message: "APNs refused it")), "certificate"),
            (.failed(SendFailure(code: .cancelled, message: "")), nil),
            (.accepted, nil),
            (.rejected(Rejection(.unregistered)), nil),
        ] as [(SendOutcome, String?)]
    )
    func deferralReason(outcome: SendOutcome, reason: String?) {
        #expect(SendDisposition(outcome).deferralReason == reason)
    }
}
