// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How long to wait after a receiver failed: doubling, bounded, and never the same for two who wait.
public struct WebhookBackoff: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    ///
    /// Default: 5 seconds.
    public var minimum: Duration

    /// The longest wait, before jitter.
    ///
    /// Default: 1 hour.
    public var maximum: Duration

    /// Takes the wait after the first failure and the longest one.
    public init(minimum: Duration = .seconds(5), maximum: Duration = .seconds(3600)) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// How long to wait now.
    ///
    /// - Parameters:
    ///   - failures: how many there were in a row, from 1.
    ///   - generator: where the jitter comes from.
    /// - Returns: the minimum doubled with each failure beyond the first, at most the maximum, and up to a quarter more.
    public func delay(after failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let full = min(self.maximum, self.minimum * (1 << doublings))
        return full * Double.random(in: 1...1.25, using: &generator)
    }
}
