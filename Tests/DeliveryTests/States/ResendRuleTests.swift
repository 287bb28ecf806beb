// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing
import Work

@testable import Delivery

@Suite("When a target is sent to again")
struct ResendRuleTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func rule(expiresIn seconds: Double = 86_400, maximumAttempts: Int = 3) -> TargetRetryPolicy {
        TargetRetryPolicy(
            maximumAttempts: maximumAttempts,
            backoff: ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(10)),
            maximumDelay: .seconds(3600),
            expiry: self.now.addingTimeInterval(seconds)
        )
    }

    private func again(_ rule: TargetRetryPolicy, _ attempt: TargetAttempt) -> Deferral? {
        var random = SystemRandomNumberGenerator()
        guard case .resend(let deferral) = rule.again(attempt, now: self.now, using: &random) else { return nil }
        return deferral
    }

    private func later(_ rule: TargetRetryPolicy, _ attempt: TargetAttempt, after seconds: Int) -> Deferral? {
        var random = SystemRandomNumberGenerator()
        let decision = rule.later(attempt, after: .seconds(seconds), now: self.now, using: &random)
        guard case .resend(let deferral) = decision else { return nil }
        return deferral
    }

    @Test("attempts are counted and made after a back-off, and the last one ends it")
    func attempts() throws {
        var attempt = TargetAttempt(index: 7, delays: 2)
        for count in 1...2 {
            let deferral = try #require(self.again(self.rule(), attempt))
            #expect(deferral.index == 7)
            #expect(deferral.attempts == count)
            #expect(deferral.delays == 2)
            #expect(deferral.notBefore > self.now)
            attempt = TargetAttempt(deferral)
        }
        #expect(self.again(self.rule(), attempt) == nil)
        #expect(self.again(self.rule(maximumAttempts: 0), TargetAttempt(index: 0)) == nil)
    }

    @Test("what is tried once has no other attempt, whatever the first one came to")
    func once() {
        var rule = self.rule()
        rule.isOnce = true
        #expect(self.again(rule, TargetAttempt(index: 0)) == nil)
        #expect(self.later(rule, TargetAttempt(index: 0), after: 60) == nil)
    }

    @Test("the attempt counter saturates instead of overflowing", arguments: [255, 256, 65_534])
    func manyAttempts(attempts: Int) throws {
        let attempt = TargetAttempt(index: 0, attempts: attempts)
        #expect(try #require(self.again(self.rule(maximumAttempts: 70_000), attempt)).attempts == attempts + 1)
        let most = TargetAttempt(index: 0, attempts: 65_535)
        #expect(try #require(self.again(self.rule(maximumAttempts: 70_000), most)).attempts == 65_535)
        #expect(self.again(self.rule(maximumAttempts: 65_535), most) == nil)
    }

    @Test(
        "a delay that APNs asks for is kept to, and doubles up to the maximum",
        arguments: [(900, 0, 900), (900, 1, 1800), (900, 2, 3600), (900, 9, 3600), (60, 3, 480), (7200, 5, 7200)]
    )
    func delays(after: Int, delays: Int, expected: Int) throws {
        let attempt = TargetAttempt(index: 1, attempts: 1, delays: delays)
        let deferral = try #require(self.later(self.rule(), attempt, after: after))
        let wait = deferral.notBefore.timeIntervalSince(self.now)
        #expect((Double(expected) - 0.001...1.25 * Double(expected)).contains(wait))
        #expect(deferral.attempts == 1)
        #expect(deferral.delays == delays + 1)
    }

    @Test("what could be sent only after the batch's time is over is not sent again")
    func expiry() {
        let attempt = TargetAttempt(index: 0)
        #expect(self.later(self.rule(expiresIn: 899), attempt, after: 900) == nil)
        #expect(self.again(self.rule(expiresIn: 0.1), attempt) == nil)
    }
}
