// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// How many pushes of high priority an app may still have: a bucket that fills evenly over an hour.
struct ActivityBudget: Codable, Hashable, Sendable {
    private static let hour: Double = 3600

    /// The used part of the budget that has not refilled.
    private var taken: Double = 0
    /// When that was worked out, in seconds since 1970.
    private var updatedAt: Double = 0

    /// Takes one.
    ///
    /// - Returns: 0 if there was one, else when there will be, in seconds since 1970; `nil` for a budget of nothing.
    mutating func take(hourly limit: Int, now: Double) -> Double? {
        guard limit > 0 else { return nil }
        let rate = Double(limit) / Self.hour
        // The limit may have been reduced: cap the used part to it.
        self.taken = max(0, min(self.taken, Double(limit)) - max(0, now - self.updatedAt) * rate)
        self.updatedAt = now
        // Room for rounding, so that a whole one has come back when it should.
        guard self.taken + 1 <= Double(limit) + 1e-6 else {
            return now + (self.taken + 1 - Double(limit)) / rate
        }
        self.taken += 1
        return 0
    }
}
