// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Rates of device tokens")
struct DeviceRatesTests {
    @Test("where none can be forgotten, the next look is at twice as many tokens")
    func doubling() {
        var rates = DeviceRateLimiter()
        func admit(_ count: Int, now: Double) {
            for number in 0..<count {
                let index = RegistrationIndex(rawValue: Int32(number))
                _ = rates.admit(index, perSecond: 0.001, burst: 1, now: now)
            }
        }
        let first = rates.limit
        admit(first + 1, now: 0)
        #expect(rates.limit == 2 * first)
        // A day later all may send at full again.
        admit(2 * first + 1, now: 86_400)
        #expect(rates.limit >= first)
        let isAdmitted = rates.admit(RegistrationIndex(rawValue: 0), perSecond: 0.001, burst: 1, now: 86_400)
        #expect(!isAdmitted)
    }
}
