// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How long to wait after failures in a row: doubling, bounded, and never the same for two who wait.
public struct RetryBackoff: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    public var minimum: Duration

    /// The longest wait.
    public var maximum: Duration

    /// Takes the wait after the first failure and the longest one.
    public init(minimum: Duration, maximum: Duration) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// How long to wait now.
    ///
    /// - Parameters:
    ///   - failures: how many there were in a row, from 1.
    ///   - generator: where the jitter comes from.
    /// - Returns: half to all of the minimum doubled with each failure beyond the first, at most the maximum.
    public func delay(after failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let full = min(self.maximum, self.minimum * (1 << doublings))
        return full * Double.random(in: 0.5...1, using: &generator)
    }

    /// How long to wait now, with jitter from the system's random numbers.
    func delay(after failures: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return self.delay(after: failures, using: &generator)
    }
}
