// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Testing

@testable import Delivery

@Suite("What answers say of a line")
struct EvidenceTests {
    private static func evidence(_ answers: [SendOutcome], token: (Int) -> Int) -> ChunkObservation {
        ChunkObservation(answers.map { SendDisposition($0) }, token: token)
    }

    @Test("each answer counts for what it says of APNs, not of the target")
    func counting() {
        let answers: [SendOutcome] = [
            .accepted, .accepted, .rejected(Rejection(.unregistered)), .rejected(Rejection(.topicDisallowed)),
            .rejected(Rejection(.tooManyRequests)), .rejected(Rejection(.internalServerError)),
            .failed(SendFailure(code: .deadlineExceeded, message: "late")),
            .failed(SendFailure(code: .notSent, message: "no stream")),
        ]
        let evidence = Self.evidence(answers) { $0 }
        let expected = ChunkObservation(
            served: 4,
            overloads: 1,
            crowded: [4],
            overload: Rejection(.internalServerError)
        )
        #expect(evidence == expected)
        #expect(evidence.answers == 6)
        #expect(evidence.isAnswered)
    }

    @Test(
        "a token that is sent to too often is one complaint, and none when it is the only one, whatever the 429 is called",
        arguments: [.tooManyRequests, .tooManyProviderTokenUpdates, RejectionReason(rawValue: "NewReason")]
    )
    func crowded(reason: RejectionReason) {
        let rejection = Rejection(status: 429, reason: reason)
        let crowded = [SendOutcome](repeating: .rejected(rejection), count: 6)
        let one = Self.evidence(crowded) { _ in 7 }
        #expect(one == ChunkObservation(served: 5, crowded: [7], overload: rejection))
        #expect(one.complaints == 0)
        #expect(one.isServed)
        let many = Self.evidence(crowded) { $0 }
        #expect(many.complaints == 6)
        #expect(!many.isServed)
    }

    @Test("a refused credential is no answer for a target, and no connection is none at all")
    func refusals() {
        let refusal = Rejection(.badEnvironmentKeyInToken)
        let refused = Self.evidence([.rejected(refusal), .rejected(Rejection(.invalidProviderToken))]) { $0 }
        #expect(refused == ChunkObservation(refusal: refusal))
        #expect(refused.isAnswered)
        let failure = SendFailure(code: .unreachable, message: "refused")
        let unreachable = Self.evidence([.failed(failure), .failed(failure)]) { $0 }
        #expect(unreachable == ChunkObservation(unreachability: "refused"))
        #expect(!unreachable.isAnswered)
    }

    @Test("a client that stops says nothing of APNs", arguments: [SendFailure.Code.shuttingDown, .cancelled, .notSent])
    func notTried(code: SendFailure.Code) {
        let evidence = Self.evidence([.failed(SendFailure(code: code, message: "it was not sent"))]) { $0 }
        #expect(evidence == ChunkObservation())
    }

    @Test("answers are counted whatever the clock shows")
    func clock() {
        var window = SlidingWindowCounter()
        for seconds in [-Double.infinity, -1e300, 1e300, .infinity, .nan] {
            let now = Date(timeIntervalSince1970: seconds)
            #expect(window.add(ChunkObservation(served: 1), now: now, length: .seconds(10)).answers > 0)
        }
    }
}
