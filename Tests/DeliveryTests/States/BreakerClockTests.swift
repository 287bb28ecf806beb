// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing
import Work

@testable import Delivery

@Suite("A breaker whose clock is set")
struct BreakerClockTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private static let refused = ChunkObservation(refusal: Rejection(.invalidProviderToken))

    private static let rule: CircuitBreakerConfiguration = {
        var rule = CircuitBreakerConfiguration()
        rule.refusal = ExponentialBackoff(minimum: .seconds(10), maximum: .seconds(300))
        return rule
    }()

    /// Notes evidence some seconds after the start; answers for how many seconds the line is paused by then.
    private func note(_ evidence: ChunkObservation, in breaker: inout CircuitBreaker, at seconds: Double) -> Double? {
        var generator = SystemRandomNumberGenerator()
        let now = Self.start.addingTimeInterval(seconds)
        _ = breaker.note(evidence, now: now, rule: Self.rule, using: &generator)
        return breaker.nextProbeAt(now: now)?.timeIntervalSince(now)
    }

    private func standing(of breaker: CircuitBreaker, at seconds: Double) -> CircuitBreaker.Standing {
        breaker.standing(now: Self.start.addingTimeInterval(seconds))
    }

    @Test("is half-open before its pause began, and may be probed at once: a step back does not make a pause last")
    func back() throws {
        var breaker = CircuitBreaker()
        let pause = try #require(self.note(Self.refused, in: &breaker, at: 0))
        #expect(self.standing(of: breaker, at: -3600) == .halfOpen)
        #expect(breaker.nextProbeAt(now: Self.start.addingTimeInterval(-3600)) == nil)
        // The next pause lasts as long as it should, and is told to have begun no later than now.
        let next = try #require(self.note(Self.refused, in: &breaker, at: -3600))
        #expect((10...20).contains((next * 1000).rounded() / 1000))
        #expect(breaker.trouble?.since == Self.start.addingTimeInterval(-3600))
        #expect(self.standing(of: breaker, at: -3600 + next + 0.001) == .halfOpen)
        // Forward again it is over.
        #expect(self.standing(of: breaker, at: pause + 0.001) == .halfOpen)
    }

    @Test("is paused all the same for those who looked at the clock shortly before its pause began")
    func uneven() {
        var breaker = CircuitBreaker()
        _ = self.note(Self.refused, in: &breaker, at: 0)
        #expect(self.standing(of: breaker, at: -0.9) != .halfOpen)
        #expect(self.standing(of: breaker, at: -1.1) == .halfOpen)
    }

    @Test("is half-open after a step forward beyond the end of its pause")
    func forward() {
        var breaker = CircuitBreaker()
        _ = self.note(Self.refused, in: &breaker, at: 0)
        #expect(self.standing(of: breaker, at: 3600) == .halfOpen)
    }

    @Test("begins with a short pause again when the clock was set back while it served", arguments: [-3600.0, 3600.0])
    func calm(step: Double) throws {
        var breaker = CircuitBreaker()
        var now = 0.0
        for _ in 0..<4 { now += try #require(self.note(Self.refused, in: &breaker, at: now)) + 0.001 }
        #expect(self.note(ChunkObservation(served: 1), in: &breaker, at: now) == nil)
        let pause = try #require(self.note(Self.refused, in: &breaker, at: now + step))
        #expect((5...10).contains((pause * 1000).rounded() / 1000))
    }
}
