// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing
import Work

@Suite("Exponential backoff")
struct ExponentialBackoffTests {
    @Test(
        "each failure doubles the delay up to the maximum, multiplied by the jitter",
        arguments: [(-1, 1.0), (1, 1.0), (2, 2.0), (4, 8.0), (6, 30.0), (1000, 30.0), (.max, 30.0)]
    )
    func doubles(failures: Int, seconds: Double) {
        let backoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(30))
        for _ in 0..<100 {
            let delay = backoff.delay(after: failures)
            #expect((Duration.seconds(seconds / 2)...Duration.seconds(seconds)).contains(delay))
        }
        let exact = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(30), jitter: 1...1)
        #expect(exact.delay(after: failures) == .seconds(seconds))
    }
}
