// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// When a database that could not be reached is tried again.
///
/// A value without a clock. While it waits, calls fail at once with what was wrong: nobody waits for a server that is
/// away, and a server that comes back is not met by everyone's attempts at once.
struct Reconnection: Sendable {
    static let firstDelay = Duration.milliseconds(50)
    static let longestDelay = Duration.seconds(5)

    private var failures = 0
    private var notBefore: ContinuousClock.Instant?
    private var failure: (any Error)?

    /// What a call is told that comes before the next attempt; `nil` when an attempt may be made.
    func refusal(now: ContinuousClock.Instant) -> (any Error)? {
        guard let notBefore, now < notBefore else { return nil }
        return self.failure
    }

    /// A connection was made.
    mutating func succeed() {
        self = Reconnection()
    }

    /// No connection was made.
    ///
    /// - Parameters:
    ///   - error: why.
    ///   - now: when that became known.
    ///   - generator: spreads the attempts of many processes: each waits between half of the delay and all of it.
    mutating func fail(
        _ error: any Error,
        now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        let delay = min(Self.longestDelay, Self.firstDelay * (1 << min(self.failures, 10)))
        self.failures += 1
        self.failure = error
        self.notBefore = now + delay * Double.random(in: 0.5...1, using: &generator)
    }

    /// How long until an attempt may be made.
    func wait(now: ContinuousClock.Instant) -> Duration {
        self.notBefore.map { max(.zero, $0 - now) } ?? .zero
    }
}
