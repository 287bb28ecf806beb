// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Testing

@testable import Delivery

@Suite("What answers say of a line")
struct EvidenceTests {
    @Test("each answer counts for what it says of APNs, not of the target")
    func counting() {
        let evidence = Evidence([
            .accepted, .accepted, .rejected(Rejection(.unregistered)), .rejected(Rejection(.topicDisallowed)),
            .rejected(Rejection(.tooManyRequests)), .rejected(Rejection(.internalServerError)),
            .failed(SendFailure(code: .deadlineExceeded, message: "late")),
            .failed(SendFailure(code: .notSent, message: "no stream")),
        ])
        let expected = Evidence(served: 4, overloads: 2, overload: Rejection(.internalServerError))
        #expect(evidence == expected)
        #expect(evidence.isAnswered)
    }

    @Test("a refused credential is no answer for a target, and no connection is none at all")
    func refusals() {
        let refusal = Rejection(.badEnvironmentKeyInToken)
        let refused = Evidence([.rejected(refusal), .rejected(Rejection(.invalidProviderToken))])
        #expect(refused == Evidence(refusal: refusal))
        #expect(refused.isAnswered)
        let failure = SendFailure(code: .unreachable, message: "refused")
        let unreachable = Evidence([.failed(failure), .failed(failure)])
        #expect(unreachable == Evidence(unreachability: "refused"))
        #expect(!unreachable.isAnswered)
    }
}
