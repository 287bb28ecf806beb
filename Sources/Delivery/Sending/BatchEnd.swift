// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// How the sending of a batch ended for now.
package enum BatchEnd: CaseIterable, Hashable, Sendable {
    /// Nothing more is to be sent: every target has its outcome.
    case settled

    /// Some targets are to be sent to later.
    case deferred

    /// The service is shutting down: others may go on at once.
    case stopped

    /// It was halted: paused or called off by someone.
    case halted

    /// Where all of it goes, sending is paused.
    case paused

    /// Another worker has the batch, or it was called off.
    case leaseLost

    /// The batch could not be carried out and is tried again later.
    case setBack

    /// The batch could not be carried out time and again: it has failed.
    case failed

    /// The store cannot be reached; the batch is claimed again when its lease lapses.
    case abandoned
}

/// How often this process could not carry out a batch: what holds even when the store cannot keep count.
///
/// It keeps no more than ``maximumCount`` batches, of which it forgets the oldest: what others ended is never heard of.
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
