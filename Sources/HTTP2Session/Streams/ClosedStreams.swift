// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The closed streams of a server on which the client may still send frames, and those that the client skipped.
///
/// The client has ended all others itself. Both lists are bounded. After more resets, frames on the oldest streams are
/// ignored; after more gaps, frames in the oldest gaps are errors of another code.
struct ClosedStreams {
    /// How a stream came to be closed.
    enum Ending {
        /// This side reset it before the client ended it: frames may be under way (RFC 9113 section 5.1).
        case reset
        /// The client never opened it, and opened a later one (RFC 9113 section 5.1.1).
        case skipped
        /// The client ended it with END_STREAM or RST_STREAM.
        case byClient
    }

    private static let maximumResets = 1024
    private static let maximumGaps = 64

    /// Streams that this side reset, oldest first.
    private var resets: [Int32] = []
    /// The highest stream that was dropped from ``resets``.
    private var highestForgotten: Int32 = 0
    /// Identifiers that the client skipped, oldest first.
    private var gaps: [ClosedRange<Int32>] = []

    /// Takes note that this side resets a stream that the client has not ended.
    mutating func addReset(_ id: Int32) {
        if self.resets.count == Self.maximumResets {
            // Half of them at once, so that a reset costs the same whatever came before.
            let dropped = Self.maximumResets / 2
            self.highestForgotten = max(self.highestForgotten, self.resets[..<dropped].max() ?? 0)
            self.resets.removeFirst(dropped)
        }
        self.resets.append(id)
    }

    /// Takes note of the identifiers between two streams that the client opens one after the other.
    ///
    /// `previous` is 0 for the first stream.
    @inline(__always)
    mutating func open(_ id: Int32, after previous: Int32) {
        let next = (previous &+ 1) | 1
        if id > next { self.addGap(next...id &- 2) }
    }

    private mutating func addGap(_ gap: ClosedRange<Int32>) {
        if self.gaps.count == Self.maximumGaps { self.gaps.removeFirst() }
        self.gaps.append(gap)
    }

    /// How a stream that is not open any more was closed.
    func ending(of id: Int32) -> Ending {
        if self.gaps.contains(where: { $0.contains(id) }) { return .skipped }
        return id <= self.highestForgotten || self.resets.contains(id) ? .reset : .byClient
    }
}
