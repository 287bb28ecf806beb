// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Synchronization

/// What of a claimed batch is on its way, and what is left: a value without a store.
///
/// Slices end in any order and are settled at once. One that ends before an earlier one moves the cursor over that:
/// its targets are deferred, so that the store knows that they have no outcome, and settled as such when they have one.
struct BatchProgress {
    private let claimed: ClaimedBatch
    private var due: ArraySlice<Deferral>
    private var next: Int
    private var cursor: Int

    /// How many slices are being sent.
    private(set) var inFlight = 0

    /// A batch of which nothing is on its way.
    init(_ claimed: ClaimedBatch) {
        self.claimed = claimed
        self.due = claimed.due[...]
        self.next = claimed.cursor
        self.cursor = claimed.cursor
    }

    /// How many targets may make up the next slice, at most `size`; 0 when all are on their way.
    func available(_ size: Int) -> Int {
        let size = max(1, size)
        if !self.due.isEmpty { return min(size, self.due.count) }
        return min(size, self.claimed.batch.targets.count - self.next)
    }

    /// The environments of the targets from which the next slice is taken, perhaps with some others.
    var environmentsAhead: Set<APNsEnvironment> {
        let targets = self.claimed.batch.targets
        if self.due.isEmpty { return targets.environments }
        return self.due.reduce(into: []) { $0.insert(targets.environment(at: $1.index)) }
    }

    /// Takes the next slice: targets that are due again before those that were never sent to.
    ///
    /// `count` is 1 to the result of ``available(_:)``.
    mutating func take(_ count: Int) -> Slice {
        self.inFlight += 1
        if !self.due.isEmpty {
            defer { self.due = self.due.dropFirst(count) }
            return Slice(part: .due(Array(self.due.prefix(count))))
        }
        defer { self.next += count }
        return Slice(part: .fresh(self.next..<(self.next + count)))
    }

    /// A slice has its result.
    ///
    /// Results have to be settled in the order in which they are handed in here.
    /// - Returns: how to settle it.
    mutating func settle(_ result: SliceResult) -> Settlement {
        self.inFlight -= 1
        var deferrals = result.deferrals
        var resent: [Deferral] = []
        var range = 0..<0
        switch result.slice.part {
        case .due(let due): resent = due
        case .fresh(let own) where own.upperBound <= self.cursor: resent = own.map(self.overtaken)
        case .fresh(let own):
            deferrals += (self.cursor..<own.lowerBound).map(self.overtaken)
            range = self.cursor..<own.upperBound
            self.cursor = own.upperBound
        }
        return Settlement(
            of: self.claimed,
            range: range,
            resent: resent,
            failures: result.failures,
            deferrals: deferrals.sorted { $0.index < $1.index }
        )
    }

    /// A target on its way that the cursor passes over; whoever claims the batch next sends to it at once.
    private func overtaken(_ index: Int) -> Deferral {
        Deferral(index: index, notBefore: Deferral.atOnce)
    }
}

/// How often this process could not carry out a batch: what holds even when the store cannot keep count.
///
/// It keeps at most ``maximumCount`` batches and forgets the oldest, because it does not learn which batches other processes
/// end.
final class Setbacks: Sendable {
    /// The most batches that are counted.
    static let maximumCount = 1000

    private let counts = Mutex<[BatchID: Int]>([:])

    var batchCount: Int { self.counts.withLock(\.count) }

    func count(of batch: BatchID) -> Int { self.counts.withLock { $0[batch, default: 0] } }

    /// Counts once more.
    ///
    /// - Returns: how often it was by now.
    func add(_ batch: BatchID) -> Int {
        self.counts.withLock { counts in
            counts[batch, default: 0] += 1
            if counts.count > Self.maximumCount, let oldest = counts.keys.min() { counts[oldest] = nil }
            return counts[batch, default: 0]
        }
    }

    /// A batch has ended.
    func forget(_ batch: BatchID) {
        self.counts.withLock { _ = $0.removeValue(forKey: batch) }
    }
}
