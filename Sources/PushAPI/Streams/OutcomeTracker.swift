// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// The batches of one stream that have no outcome for every line yet.
final class OutcomeTracker: Sendable {
    /// Which of them are to be looked at.
    let inbox = BatchInbox()

    private let signals: BatchSignals
    private let batches = Mutex<[BatchID: TrackedBatch]>([:])

    init(signals: BatchSignals) {
        self.signals = signals
    }

    /// Follows batches that are stored, from the outcomes on that they have by now.
    func add(_ batches: [TrackedBatch]) {
        self.batches.withLock { tracked in
            for batch in batches { tracked[batch.id] = batch }
        }
        self.signals.watch(batches.map(\.id), for: self.inbox)
        // What happened before is not signalled.
        for batch in batches { self.inbox.add(batch.id) }
    }

    /// Has all of them looked at.
    func lookAtAll() {
        for batch in self.batches.withLock({ Array($0.keys) }) { self.inbox.add(batch) }
    }

    /// Takes a batch out to tell what became of its targets; `nil` when all is told.
    ///
    /// Only one task may do so, and has to put it back.
    func take(_ batch: BatchID) -> TrackedBatch? {
        self.batches.withLock { $0[batch].take() }
    }

    /// Puts a batch back, unless all is told.
    func putBack(_ batch: TrackedBatch) {
        if batch.remaining > 0 {
            self.batches.withLock { $0[batch.id] = batch }
        } else {
            self.signals.forget([batch.id], for: self.inbox)
        }
    }

    /// The stream is over.
    func forgetAll() {
        self.signals.forget(self.batches.withLock { Array($0.keys) }, for: self.inbox)
    }
}
