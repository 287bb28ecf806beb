// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// Which slices of a batch are on their way, and how far it can be settled: a value without a store.
///
/// Slices end in any order, but are settled in theirs: the cursor only moves over targets that have an outcome.
struct SliceWindow {
    /// The index of the first target that is not settled.
    private(set) var cursor: Int

    /// How many slices are being sent.
    private(set) var inFlight = 0

    private var limit: Int
    private var next: Int
    private let end: Int
    private let size: Int
    private var finished: [Int: SliceResult] = [:]

    /// A window over the targets from `cursor` to `end`.
    ///
    /// - Parameters:
    ///   - cursor: the first target.
    ///   - end: the index behind the last target.
    ///   - size: how many targets a slice has; at least 1.
    ///   - limit: how many slices may be unsettled at once; at least 1.
    init(cursor: Int, end: Int, size: Int, limit: Int) {
        self.cursor = cursor
        self.next = cursor
        self.end = end
        self.size = max(1, size)
        self.limit = max(1, limit)
    }

    /// Whether every target is settled.
    var isDone: Bool { self.cursor == self.end }

    /// Changes how many slices may be unsettled at once; at least 1.
    mutating func resize(to limit: Int) {
        self.limit = max(1, limit)
    }

    /// The next slice to send; `nil` when all are on their way or the window is full.
    mutating func takeSlice() -> Range<Int>? {
        guard self.next < self.end, self.inFlight + self.finished.count < self.limit else { return nil }
        let range = self.next..<min(self.next + self.size, self.end)
        self.next = range.upperBound
        self.inFlight += 1
        return range
    }

    /// A slice has its result.
    mutating func finish(_ result: SliceResult) {
        self.inFlight -= 1
        self.finished[result.range.lowerBound] = result
    }

    /// What can be settled now, in one piece: all targets from the cursor to the first without an outcome.
    mutating func takeSettleable() -> (range: Range<Int>, failures: [Settlement.Failure])? {
        var failures: [Settlement.Failure] = []
        var end = self.cursor
        while let result = self.finished.removeValue(forKey: end) {
            end = result.end
            failures += result.failures.filter { $0.index < end }
            if end < result.range.upperBound { break }
        }
        guard end > self.cursor else { return nil }
        defer { self.cursor = end }
        return (self.cursor..<end, failures)
    }
}
