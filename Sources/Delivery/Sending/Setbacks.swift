// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// Counts the processing failures of batches in this process, for when the store cannot count them.
///
/// It keeps at most ``maximumCount`` batches and forgets the oldest, because it does not learn which batches other
/// processes end.
final class Setbacks: Sendable {
    static let maximumCount = 1000

    private let counts = Mutex<[BatchID: Int]>([:])

    var batchCount: Int { self.counts.withLock(\.count) }

    func count(of batch: BatchID) -> Int { self.counts.withLock { $0[batch, default: 0] } }

    /// Counts a failure of a batch, and returns its number of failures.
    func add(_ batch: BatchID) -> Int {
        self.counts.withLock { counts in
            counts[batch, default: 0] += 1
            if counts.count > Self.maximumCount, let oldest = counts.keys.min() { counts[oldest] = nil }
            return counts[batch, default: 0]
        }
    }

    func forget(_ batch: BatchID) { self.counts.withLock { _ = $0.removeValue(forKey: batch) } }
}
