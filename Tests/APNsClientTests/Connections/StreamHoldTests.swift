// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsClient

@Suite("Holding back after a refusal")
struct StreamHoldTests {
    @Test("nothing is held back before a refusal")
    func free() {
        var hold = RefusedStreamThrottle()
        hold.answered(7)
        #expect(hold.limit == .max)
    }

    @Test("after a refusal no more goes out than was kept, and one more for each answer")
    func answers() {
        var hold = RefusedStreamThrottle()
        hold.refused(inFlight: 10)
        #expect(hold.limit == 10)
        hold.answered(1)
        hold.answered(4)
        #expect(hold.limit == 15)
        hold.refused(inFlight: 3)
        #expect(hold.limit == 3)
    }

    @Test("each pause lets twice as many go out, at least one, until nothing is held back")
    func pauses() {
        var hold = RefusedStreamThrottle()
        hold.refused(inFlight: 0)
        var limits: [Int] = []
        while hold.pauseEnded(maximum: 20) { limits.append(hold.limit) }
        #expect(limits == [1, 2, 4, 8, 16])
        #expect(hold.limit == .max)
    }
}
