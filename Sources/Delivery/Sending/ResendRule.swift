// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Work

/// When a target is sent to again, and when it is not any more.
struct ResendRule: Sendable {
    /// How often a target is tried that had no answer, or one that asks for another attempt.
    let maximumAttempts: Int

    /// How long is waited between these attempts.
    let backoff: ExponentialBackoff

    /// How long is waited at most where APNs asks for a delay, unless it asks for more.
    let maximumDelay: Duration

    /// The time from which nothing of the batch is sent.
    let expiry: Date

    /// Whether the first answer is the last.
    var isOnce = false

    /// What becomes of a target that was tried.
    enum Decision: Hashable {
        /// It is sent to later.
        case resend(Deferral)

        /// Nothing more is tried.
        case end
    }

    /// Decides about another attempt after a failure of which a few are borne.
    func again(_ attempt: Attempt, now: Date, using generator: inout some RandomNumberGenerator) -> Decision {
        let attempts = attempt.attempts + 1
        guard attempts < max(1, self.maximumAttempts) else { return .end }
        let delay = self.backoff.delay(after: attempts, using: &generator)
        return self.resend(
            attempt,
            attempts: attempts,
            delays: attempt.delays,
            at: now.advanced(by: delay / .seconds(1))
        )
    }

    /// Decides about another attempt that APNs allows after a delay.
    ///
    /// The delay doubles each time up to the maximum, and up to a quarter is added to it so that not all come at once.
    func later(
        _ attempt: Attempt,
        after: Duration,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        let backoff = ExponentialBackoff(minimum: after, maximum: max(after, self.maximumDelay), jitter: 1...1.25)
        // The stored number may be corrupt.
        let delay = backoff.delay(after: min(attempt.delays, 20) + 1, using: &generator)
        return self.resend(
            attempt,
            attempts: attempt.attempts,
            delays: attempt.delays + 1,
            at: now.advanced(by: delay / .seconds(1))
        )
    }

    private func resend(_ attempt: Attempt, attempts: Int, delays: Int, at time: Date) -> Decision {
        guard !self.isOnce, time < self.expiry else { return .end }
        return .resend(Deferral(index: attempt.index, attempts: attempts, delays: delays, notBefore: time))
    }
}
