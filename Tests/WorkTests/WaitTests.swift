// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import Work

@Suite("The time until an instant that a store gave")
struct WaitTests {
    @Test(
        "is what lies between, and at most 31 years in either direction",
        arguments: [
            (0, 0), (1.5, 1.5), (-2, -2), (1e300, 1e9), (-1e300, -1e9), (.infinity, 1e9), (.nan, -1e9),
        ] as [(Double, Double)]
    )
    func wait(seconds: Double, expected: Double) {
        let now = Date(timeIntervalSinceReferenceDate: 0)
        let time = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(Duration.wait(until: time, from: now) == .seconds(expected))
    }
}
