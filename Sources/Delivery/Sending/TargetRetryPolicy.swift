// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Work

/// The retry policy of the targets of a batch.
struct TargetRetryPolicy: Sendable {
    /// The most attempts at a target without a response, or with one that allows a retry.
    let maximumAttempts: Int

    let backoff: ExponentialBackoff

    /// The longest delay after a response that asks for one, unless APNs asks for more.
    let maximumDelay: Duration

    /// The time from which no target of the batch is sent.
    let expiry: Date

    var isOnce = false

    enum Decision: Hashable {
        case resend(Deferral)
        case end
    }

    /// Decides about a retry after a failure with a limited number of attempts.
    func again(_ attempt: TargetAttempt, now: Date, using generator: inout some RandomNumberGenerator) -> Decision {
        let attempts = attempt.attempts + 1
        guard attempts < max(1, self.maximumAttempts) else { return .end }
        let delay = self.backoff.delay(after: attempts, using: &generator)
        let time = now.addingTimeInterval(delay / .seconds(1))
        return self.resend(attempt, attempts: attempts, delays: attempt.delays, at: time)
    }

    /// Decides about a retry that APNs allows after a delay.
    ///
    /// The delay doubles each time up to the maximum. Jitter adds up to a quarter, so that retries do not coincide.
    func later(
        _ attempt: TargetAttempt,
        after: Duration,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        let backoff = ExponentialBackoff(minimum: after, maximum: max(after, self.maximumDelay), jitter: 1...1.25)
        // The stored number may be corrupt.
        let delay = backoff.delay(after: min(attempt.delays, 20) + 1, using: &generator)
        let time = now.addingTimeInterval(delay / .seconds(1))
        return self.resend(attempt, attempts: attempt.attempts, delays: attempt.delays + 1, at: time)
    }

    private func resend(_ attempt: TargetAttempt, attempts: Int, delays: Int, at time: Date) -> Decision {
        guard !self.isOnce, time < self.expiry else { return .end }
        return .resend(Deferral(index: attempt.index, attempts: attempts, delays: delays, notBefore: time))
    }
}
