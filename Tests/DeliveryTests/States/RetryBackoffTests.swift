// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Delivery
import Testing

@Suite("Back-off")
struct RetryBackoffTests {
    @Test(
        "each failure doubles the wait up to the maximum, of which jitter takes up to half",
        arguments: [(1, 1.0), (2, 2.0), (4, 8.0), (6, 30.0), (1000, 30.0)]
    )
    func doubles(failures: Int, seconds: Double) {
        let backoff = RetryBackoff(minimum: .seconds(1), maximum: .seconds(30))
        for _ in 0..<100 {
            var random = SystemRandomNumberGenerator()
            let delay = backoff.delay(after: failures, using: &random)
            #expect((Duration.seconds(seconds / 2)...Duration.seconds(seconds)).contains(delay))
        }
    }
}
