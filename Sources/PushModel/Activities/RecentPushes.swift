// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How many pushes of priority 10 a phone was sent lately, counted in spans of four minutes.
///
/// A value of fixed size without a clock: the spans of the last hour and the one that is under way, so that it covers 60 to 64
/// minutes and never counts too few of an hour.
public struct RecentPushes: Hashable, Sendable {
    /// How long a span is, in seconds.
    public static let spanSeconds: Int64 = 240

    /// How many spans are counted.
    private static let spans = 16

    /// The newest span, in spans since 1970.
    private var newest: Int64 = 0

    /// How many fall into each span, the newest first.
    private var counts: SIMD16<UInt16> = .zero

    /// There were none.
    public init() {}

    /// How many there were within the last hour; up to four minutes more are counted.
    public func count(now: Date) -> Int {
        let age = self.age(now)
        return (0..<Self.spans).reduce(0) { sum, span in
            Int64(span) + age < Int64(Self.spans) ? sum + Int(self.counts[span]) : sum
        }
    }

    /// One more is sent.
    public mutating func add(now: Date) {
        let age = self.age(now)
        if age > 0 {
            var moved: SIMD16<UInt16> = .zero
            if age < Int64(Self.spans) {
                for span in Int(age)..<Self.spans { moved[span] = self.counts[span - Int(age)] }
            }
            self.counts = moved
            self.newest += age
        }
        if self.counts[0] < .max { self.counts[0] += 1 }
    }

    /// When there is room for one more.
    ///
    /// - Parameters:
    ///   - limit: how many there may be within an hour, 1 or more.
    ///   - now: the time.
    /// - Returns: the time; `nil` when there is room now.
    public func room(limit: Int, now: Date) -> Date? {
        var count = self.count(now: now)
        if count < limit { return nil }
        let age = self.age(now)
        for span in (0..<Self.spans).reversed() where Int64(span) + age < Int64(Self.spans) {
            count -= Int(self.counts[span])
            guard count < limit else { continue }
            // A span counts until as many have begun after it.
            let end = self.newest - Int64(span) + Int64(Self.spans)
            return Date(timeIntervalSince1970: Double(end * Self.spanSeconds))
        }
        return nil
    }

    /// How many spans have begun since the newest one; none where the clock was set back.
    private func age(_ now: Date) -> Int64 {
        max(0, Int64((now.timeIntervalSince1970 / Double(Self.spanSeconds)).rounded(.down)) - self.newest)
    }
}

// MARK: - Bytes

extension RecentPushes {
    /// The form in which a store keeps it: the newest span in 32 bits, and each count in 16, the newest first and without the
    /// zeros at the end; `nil` when there were none.
    public var bytes: [UInt8]? {
        guard let last = (0..<Self.spans).last(where: { self.counts[$0] > 0 }) else { return nil }
        var bytes = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self.newest >> Int64($0)) }
        for span in 0...last {
            bytes += [UInt8(truncatingIfNeeded: self.counts[span] >> 8), UInt8(truncatingIfNeeded: self.counts[span])]
        }
        return bytes
    }

    /// Reads what ``bytes`` wrote; `nil` for anything else.
    public init?(bytes: [UInt8]?) {
        self.init()
        guard let bytes else { return }
        guard bytes.count >= 6, bytes.count <= 4 + 2 * Self.spans, bytes.count.isMultiple(of: 2) else { return nil }
        self.newest = bytes.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
        for span in 0..<(bytes.count - 4) / 2 {
            self.counts[span] = UInt16(bytes[4 + 2 * span]) << 8 | UInt16(bytes[5 + 2 * span])
        }
    }
}
