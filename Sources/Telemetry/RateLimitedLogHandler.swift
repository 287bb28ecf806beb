// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
import Synchronization

/// A log handler that writes equal entries at a bounded rate.
///
/// An outage makes every call and every retry fail with the same error. The first 20 entries of a message and level are
/// written, then one in 10 seconds. The metadata `unlogged` of an entry counts the entries that were left out before it.
/// Messages that differ only in digits are equal. This holds for `notice` and higher levels.
///
/// Entries with the metadata `address` are limited for each address, so that one client does not hide the others. All
/// addresses together have 200 entries of a message, then one per second.
public struct RateLimitedLogHandler<Base: LogHandler>: LogHandler {
    private var base: Base
    private let limit = SharedLimit()

    /// Wraps the handler that writes; copies share the limit with their original.
    public init(_ base: Base) {
        self.base = base
    }

    public var logLevel: Logger.Level {
        get { self.base.logLevel }
        set { self.base.logLevel = newValue }
    }

    /// Added when an entry is written: each request has its own, and most requests write none.
    public var metadata: Logger.Metadata = [:]

    public var metadataProvider: Logger.MetadataProvider? {
        get { self.base.metadataProvider }
        set { self.base.metadataProvider = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var event = event
        if event.level >= .notice {
            guard let unlogged = self.limit.admit(event) else { return }
            if unlogged > 0 { event.metadata = (event.metadata ?? [:]).merging(["unlogged": "\(unlogged)"]) { $1 } }
        }
        if !self.metadata.isEmpty { event.metadata = self.metadata.merging(event.metadata ?? [:]) { $1 } }
        self.base.log(event: event)
    }

    private final class SharedLimit: Sendable {
        private let state = Mutex(LogRateLimit())

        func admit(_ event: LogEvent) -> Int? {
            let key = LogRateLimit.key(level: event.level, message: event.message.description)
            let address = event.metadata?["address"].map { "\($0)".hashValue }
            return self.state.withLock { $0.admit(key, from: address, now: .now) }
        }
    }
}

/// Decides which log entries are written: a token bucket for each message.
///
/// The caller passes the time.
struct LogRateLimit: Sendable {
    /// How many entries of one message are written at once.
    static let burst = 20

    /// The time between entries after the burst.
    static let interval = Duration.seconds(10)

    /// How many messages are remembered, and how many addresses.
    static let maximumMessages = 1000

    /// How many entries of one message are written at once for all addresses, and the time between further ones.
    static let totalBurst = 200
    static let totalInterval = Duration.seconds(1)

    private struct Bucket {
        /// When the bucket is full again.
        var fullAt: ContinuousClock.Instant
        var unlogged = 0

        mutating func admit(burst: Int, interval: Duration, now: ContinuousClock.Instant) -> Int? {
            self.fullAt = max(self.fullAt, now)
            guard self.fullAt - now <= interval * (burst - 1) else {
                self.unlogged += 1
                return nil
            }
            self.fullAt += interval
            defer { self.unlogged = 0 }
            return self.unlogged
        }
    }

    private struct Source: Hashable {
        let message: Int
        let address: Int
    }

    private var buckets: [Int: Bucket] = [:]
    private var sources: [Source: Bucket] = [:]

    /// When full buckets of addresses were forgotten last; this looks at all of them, so it happens at most once a second.
    private var prunedAt: ContinuousClock.Instant?

    /// How many messages and addresses are remembered at the moment.
    var count: Int { self.buckets.count + self.sources.count }

    /// Identifies a message by its level and its text without digits.
    static func key(level: Logger.Level, message: String) -> Int {
        var hasher = Hasher()
        hasher.combine(level)
        for byte in message.utf8 where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { hasher.combine(byte) }
        return hasher.finalize()
    }

    /// Takes an entry.
    ///
    /// - Returns: the number of entries of this message that were left out since the last one that was written; `nil`
    ///   if this entry is left out too. For an entry with an address, these are the entries of that address.
    mutating func admit(_ key: Int, from address: Int? = nil, now: ContinuousClock.Instant) -> Int? {
        guard let address else {
            return Self.admit(key, in: &self.buckets, burst: Self.burst, interval: Self.interval, now: now)
        }
        var source = Source(message: key, address: address)
        if self.sources[source] == nil, self.sources.count >= Self.maximumMessages,
            self.prunedAt.map({ now - $0 >= .seconds(1) }) != false
        {
            self.sources = self.sources.filter { $0.value.fullAt > now }
            self.prunedAt = now
        }
        // Further addresses share one bucket, so that many of them do not reset the others.
        if self.sources[source] == nil, self.sources.count >= Self.maximumMessages {
            source = Source(message: key, address: 0)
        }
        guard
            let unlogged = self.sources[source, default: Bucket(fullAt: now)]
                .admit(burst: Self.burst, interval: Self.interval, now: now)
        else { return nil }
        let all = Self.admit(key, in: &self.buckets, burst: Self.totalBurst, interval: Self.totalInterval, now: now)
        guard let all else {
            self.sources[source]?.unlogged = unlogged + 1
            return nil
        }
        return max(unlogged, all)
    }

    private static func admit(
        _ key: Int,
        in buckets: inout [Int: Bucket],
        burst: Int,
        interval: Duration,
        now: ContinuousClock.Instant
    ) -> Int? {
        if buckets[key] == nil, buckets.count >= self.maximumMessages {
            buckets = buckets.filter { $0.value.fullAt > now }
            if buckets.count >= self.maximumMessages { buckets.removeAll() }
        }
        return buckets[key, default: Bucket(fullAt: now)].admit(burst: burst, interval: interval, now: now)
    }
}
