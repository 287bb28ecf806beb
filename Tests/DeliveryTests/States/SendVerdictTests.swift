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
        "each rejection is final or retried as its reason asks",
        arguments: [
            (.unregistered, nil),
            (.badDeviceToken, nil),
            (.payloadTooLarge, nil),
            (.invalidProviderToken, nil),
            (.tooManyRequests, nil),
            (.tooManyProviderTokenUpdates, nil),
            (.expiredProviderToken, .zero),
            (.idleTimeout, .zero),
            (.internalServerError, .zero),
            (.serviceUnavailable, .zero),
            (.shutdown, .zero),
        ] as [(RejectionReason, Duration?)]
    )
    func rejections(reason: RejectionReason, floor: Duration?) {
        let rejection = Rejection(reason)
        let verdict = SendVerdict(.rejected(rejection), patience: .seconds(10))
        let expected: SendVerdict =
            if let floor { .again(.rejected(rejection), floor: floor) } else { .final(.rejected(rejection)) }
        #expect(verdict == expected)
    }

    @Test("a delay that is short enough is kept to")
    func shortDelay() {
        let rejection = Rejection(.tooManyRequests)
        let verdict = SendVerdict(.rejected(rejection), patience: .seconds(60))
        #expect(verdict == .again(.rejected(rejection), floor: .seconds(60)))
    }

    @Test(
        "what was never sent keeps its turn; what may have been sent is retried",
        arguments: [
            (.unreachable, .unreachable("no answer")),
            (.shuttingDown, .unreachable("no answer")),
            (.cancelled, .cancelled),
            (.deadlineExceeded, .again(.failed(.deadline), floor: .zero)),
            (.connectionLost, .again(.failed(.connection), floor: .zero)),
            (.streamReset, .again(.failed(.connection), floor: .zero)),
        ] as [(SendFailure.Code, SendVerdict)]
    )
    func failures(code: SendFailure.Code, verdict: SendVerdict) {
        let failure = SendFailure(code: code, message: "no answer")
        #expect(SendVerdict(.failed(failure), patience: .seconds(10)) == verdict)
    }
}
