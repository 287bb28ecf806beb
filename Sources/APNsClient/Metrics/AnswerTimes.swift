// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How long APNs took to answer, counted in buckets that double: integers only, and no allocation.
public struct AnswerTimes: Sendable, Hashable {
    /// The upper bounds of all buckets but the last: 1, 2, 4 and so on to 16,384 milliseconds.
    public static let bounds: [Duration] = (0..<15).map { .milliseconds(1 << $0) }

    private var counts = SIMD16<UInt32>()

    /// No answers.
    public init() {}

    /// Whether there are no answers.
    public var isEmpty: Bool { self.counts == SIMD16() }

    /// How many answers each bucket has, those of smaller buckets not among them; the last has what took longer than
    /// the largest bound.
    public var buckets: [Int] { (0..<16).map { Int(self.counts[$0]) } }

    /// Counts an answer.
    ///
    /// - Parameter nanoseconds: how long it took; less than zero counts as nothing.
    public mutating func add(nanoseconds: Int64) {
        let milliseconds = UInt64(max(0, nanoseconds - 1)) / 1_000_000
        let bucket = min(15, UInt64.bitWidth - milliseconds.leadingZeroBitCount)
        self.counts[bucket] &+= 1
    }
}
