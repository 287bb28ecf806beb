// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// Limits the requests per second of each API key; keys with the scope `admin` have no limit.
final class KeyRates: Sendable {
    /// The most keys that are counted one by one.
    private static let maximumKeys = 10_000

    private let perSecond: Int?
    private let buckets: Mutex<TokenBuckets<APIKeyID>>

    /// `perSecond` requests are allowed on average, and as many at once; `nil` for no limit.
    init(perSecond: Int?) {
        self.perSecond = perSecond
        let rate = max(1, perSecond ?? 1)
        self.buckets = Mutex(TokenBuckets(burst: rate, interval: .seconds(1) / rate, capacity: Self.maximumKeys))
    }

    /// Counts a request.
    ///
    /// - Throws: ``Problem`` `.rateLimited`.
    func count(_ key: APIKey, now: ContinuousClock.Instant = .now) throws(Problem) {
        guard let perSecond, !key.scopes.contains(.admin) else { return }
        guard !self.buckets.withLock({ $0.take(key.id, now: now) }) else { return }
        throw Problem(.rateLimited, "The key has sent more than \(perSecond) requests per second.")
    }
}
