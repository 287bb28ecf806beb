// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Token buckets of many keys: each allows a burst, and then one call per interval.
///
/// A value without synchronization; the caller passes the time.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    let burst: Int
    let interval: Duration

    /// The maximum number of keys that are remembered; further keys share one bucket.
    let capacity: Int

    /// When the bucket of each key is full again.
    private var fullAt: [Key: ContinuousClock.Instant] = [:]
    private var fullOfOthersAt: ContinuousClock.Instant?

    /// When full buckets were forgotten last; this looks at all of them, so it happens at most once a second.
    private var prunedAt: ContinuousClock.Instant?

    init(burst: Int, interval: Duration, capacity: Int) {
        self.burst = burst
        self.interval = interval
        self.capacity = capacity
    }

    /// The number of keys that are remembered at the moment.
    var count: Int { self.fullAt.count }

    /// Takes a token.
    ///
    /// - Returns: `false` if the bucket is empty.
    mutating func take(_ key: Key, now: ContinuousClock.Instant) -> Bool {
        if self.fullAt[key] == nil, self.fullAt.count >= self.capacity {
            if self.prunedAt.map({ now - $0 >= .seconds(1) }) != false {
                self.fullAt = self.fullAt.filter { $0.value > now }
                self.prunedAt = now
            }
            guard self.fullAt.count < self.capacity else { return self.take(from: &self.fullOfOthersAt, now: now) }
        }
        return self.take(from: &self.fullAt[key], now: now)
    }

    private func take(from bucket: inout ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Bool {
        let fullAt = max(bucket ?? now, now)
        guard fullAt - now <= self.interval * (self.burst - 1) else { return false }
        bucket = fullAt + self.interval
        return true
    }
}
