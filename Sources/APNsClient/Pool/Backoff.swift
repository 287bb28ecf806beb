// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// How long to wait before connecting anew: doubling, bounded, and never the same for two clients.
struct Backoff {
    private let minimum: TimeAmount
    private let maximum: TimeAmount
    private var failures = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = TimeAmount(minimum)
        self.maximum = TimeAmount(maximum)
    }

    /// Begins anew with the shortest pause.
    mutating func reset() {
        self.failures = 0
    }

    /// The pause after one more failure: half of it fixed, half of it drawn by chance.
    mutating func failed(using generator: inout some RandomNumberGenerator) -> TimeAmount {
        let doubled = self.minimum.nanoseconds << min(self.failures, 20)
        self.failures += 1
        let bound = min(doubled, self.maximum.nanoseconds)
        return .nanoseconds(bound / 2 + Int64.random(in: 0...max(1, bound / 2), using: &generator))
    }
}
