// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// How fast pushes to each device token came lately, for those tokens that got any.
struct DeviceRates: Sendable {
    private struct Bucket {
        var left: Double
        var filledAt: Double
    }

    /// Up to this many tokens none is forgotten.
    private static let maximumBuckets = 100_000

    /// How many tokens there may be before those that may send at full again are forgotten next: twice as many as were
    /// left of them the last time.
    private(set) var limit = Self.maximumBuckets
    private var buckets: [RegistrationIndex: Bucket] = [:]

    /// Takes note of a push: `perSecond` pass in the long run, `burst` at once.
    ///
    /// - Returns: whether it is let pass.
    mutating func admit(_ index: RegistrationIndex, perSecond: Double, burst: Double, now: Double) -> Bool {
        var bucket = self.buckets[index] ?? Bucket(left: burst, filledAt: now)
        bucket.left = min(burst, bucket.left + max(0, now - bucket.filledAt) * perSecond)
        bucket.filledAt = now
        defer { self.buckets[index] = bucket }
        if self.buckets.count >= self.limit {
            self.buckets = self.buckets.filter { $1.left + (now - $1.filledAt) * perSecond < burst }
            self.limit = max(Self.maximumBuckets, 2 * self.buckets.count)
        }
        guard bucket.left >= 1 else { return false }
        bucket.left -= 1
        return true
    }
}
