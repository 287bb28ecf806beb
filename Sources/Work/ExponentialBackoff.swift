// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// An exponential delay with jitter between attempts.
package struct ExponentialBackoff: Hashable, Sendable {
    /// The delay after the first failure, before jitter.
    package var minimum: Duration

    /// The longest delay, before jitter.
    package var maximum: Duration

    /// The range of the random factor of each delay.
    package var jitter: ClosedRange<Double>

    package init(minimum: Duration, maximum: Duration, jitter: ClosedRange<Double> = 0.5...1) {
        self.minimum = minimum
        self.maximum = maximum
        self.jitter = jitter
    }

    /// The delay after a number of consecutive failures, at least 1: the minimum, doubled with each further failure.
    package func delay(after failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let full = min(self.maximum, self.minimum * (1 << doublings))
        return full * Double.random(in: self.jitter, using: &generator)
    }

    package func delay(after failures: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return self.delay(after: failures, using: &generator)
    }
}
