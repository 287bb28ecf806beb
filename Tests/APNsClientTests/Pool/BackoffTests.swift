// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("Pauses before connecting anew")
struct BackoffTests {
    @Test("the pause doubles up to its bound, and at least half of it is certain")
    func doubling() {
        var backoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(60))
        var generator = SystemRandomNumberGenerator()
        for bound in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Int64] {
            let pause = backoff.failed(using: &generator)
            #expect(pause >= .milliseconds(500 * bound))
            #expect(pause <= .seconds(bound))
        }
    }

    @Test("the pause stays bounded after any number of failures")
    func manyFailures() {
        var backoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(60))
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 { #expect(backoff.failed(using: &generator) <= .seconds(60)) }
    }

    @Test("a success begins anew")
    func reset() {
        var backoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(60))
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5 { _ = backoff.failed(using: &generator) }
        backoff.reset()
        #expect(backoff.failed(using: &generator) <= .seconds(1))
    }

    @Test("pauses differ, so that clients do not come back all at once")
    func jitter() {
        var generator = SystemRandomNumberGenerator()
        let pauses = (0..<50).map { _ in
            var backoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(60))
            return backoff.failed(using: &generator).nanoseconds
        }
        #expect(Set(pauses).count > 10)
    }
}
