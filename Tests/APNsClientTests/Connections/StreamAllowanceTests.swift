// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("How many requests a connection may have in flight")
struct StreamAllowanceTests {
    private func allowance(_ lane: SendLane = .urgent, isProven: Bool = true) -> ConcurrentStreamLimit {
        var configuration = APNsClientConfiguration()
        configuration.maximumStreams = 500
        return ConcurrentStreamLimit(configuration, lane: lane, isProven: isProven)
    }

    @Test("is what the server announces, and never more than is configured")
    func announced() {
        let allowance = self.allowance()
        #expect([0, 1, 499, 500, 501, .max].map { allowance.limit(announced: $0) } == [0, 1, 499, 500, 500, 500])
    }

    @Test("is one while nobody knows whether the provider token is valid, and none after a refusal then")
    func unproven() {
        var allowance = self.allowance(isProven: false)
        #expect(allowance.limit(announced: 100) == 1)
        allowance.refused(inFlight: 0)
        #expect(allowance.limit(announced: 100) == 0)
        let isHeldBack = allowance.pauseEnded()
        #expect(isHeldBack)
        #expect(allowance.limit(announced: 100) == 1)
        allowance.isProven = true
        allowance.answered(3)
        #expect(allowance.limit(announced: 100) == 4)
    }

    @Test("is what the server kept when it refused some, and one more for each answer")
    func refused() {
        var allowance = self.allowance()
        allowance.answered(100)
        allowance.refused(inFlight: 7)
        #expect(allowance.limit(announced: 100) == 7)
        allowance.answered(2)
        #expect(allowance.limit(announced: 100) == 9)
        #expect(allowance.limit(announced: 8) == 8)
        while allowance.pauseEnded() {}
        #expect(allowance.limit(announced: 600) == 500)
    }

    @Test("is less for bulk work where APNs is near")
    func bulk() {
        var allowance = self.allowance(.bulk)
        #expect(allowance.limit(announced: 1000) == 256)
        allowance.roundTrip = .milliseconds(1)
        #expect(allowance.limit(announced: 1000) == 67)
        #expect(allowance.limit(announced: 60) == 60)
    }
}
