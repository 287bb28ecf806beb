// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
import Synchronization

/// A log handler that writes equal entries at a bounded rate.
///
/// An outage makes every call and every retry fail with the same error. The first 20 entries of a message and level are
/// written, then one in 10 seconds. The metadata `unlogged` of an entry counts the entries that were left out before it.
/// Messages that differ only in digits are equal. This holds for `notice` and higher levels.
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
            return self.state.withLock { $0.admit(key, now: .now) }
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

    /// How many messages are remembered.
    static let maximumMessages = 1000

    private struct Bucket {
        /// When the bucket is full again.
        var fullAt: ContinuousClock.Instant
        var unlogged = 0
    }

    private var buckets: [Int: Bucket] = [:]

    /// How many messages are remembered at the moment.
    var count: Int { self.buckets.count }

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
    ///   if this entry is left out too.
    mutating func admit(_ key: Int, now: ContinuousClock.Instant) -> Int? {
        if self.buckets[key] == nil, self.buckets.count >= Self.maximumMessages {
            self.buckets = self.buckets.filter { $0.value.fullAt > now }
            if self.buckets.count >= Self.maximumMessages { self.buckets.removeAll() }
        }
        var bucket = self.buckets[key] ?? Bucket(fullAt: now)
        bucket.fullAt = max(bucket.fullAt, now)
        defer { self.buckets[key] = bucket }
        guard bucket.fullAt - now <= Self.interval * (Self.burst - 1) else {
            bucket.unlogged += 1
            return nil
        }
        bucket.fullAt += Self.interval
        defer { bucket.unlogged = 0 }
        return bucket.unlogged
    }
}
