// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Synchronization
import Work

/// The batches of one stream that have no outcome for every line yet.
final class OutcomeTracker: Sendable {
    /// Wakes for batches that are to be looked at.
    let inbox: ChangeHub<BatchID>.Subscription

    private let batches = Mutex<[BatchID: TrackedBatch]>([:])

    init(signals: ChangeHub<BatchID>) {
        self.inbox = signals.subscribe()
    }

    /// Follows batches that are stored, from the outcomes on that they have by now.
    func add(_ batches: [TrackedBatch]) {
        self.batches.withLock { tracked in
            for batch in batches { tracked[batch.id] = batch }
        }
        self.inbox.add(batches.map(\.id))
        // Earlier settlements were not signalled.
        for batch in batches { self.inbox.wake(for: batch.id) }
    }

    func lookAtAll() {
        for batch in self.batches.withLock({ Array($0.keys) }) { self.inbox.wake(for: batch) }
    }

    /// Removes a batch, to report the outcomes of its targets; `nil` if all are reported.
    ///
    /// Only one task may do so, and must put it back.
    func take(_ batch: BatchID) -> TrackedBatch? {
        self.batches.withLock { $0[batch].take() }
    }

    /// Puts a batch back, unless all outcomes are reported.
    func putBack(_ batch: TrackedBatch) {
        if batch.remaining > 0 {
            self.batches.withLock { $0[batch.id] = batch }
        } else {
            self.inbox.remove([batch.id])
        }
    }

    /// The stream is over.
    func forgetAll() {
        self.inbox.end()
    }
}

/// One batch of a stream: the lines of its targets, and the reported ones.
struct TrackedBatch: Sendable {
    let id: BatchID

    /// The lines that were stored together with it.
    let lines: StreamLineList

    /// The number of the first of these lines.
    let firstLine: Int

    /// The places of its targets among these lines, by the targets' indices.
    private var places: [Int32] = []

    private var isTold: [Bool] = []

    /// The number of targets whose outcomes are not reported.
    private(set) var remaining = 0

    private init(id: BatchID, lines: StreamLineList, firstLine: Int) {
        self.id = id
        self.lines = lines
        self.firstLine = firstLine
    }

    /// Creates the batches of a chunk.
    ///
    /// The outcomes of all lines up to `told` are reported already.
    /// - Returns: the batches with outcomes to report.
    static func batches(_ ids: [BatchID], lines: StreamLineList, firstLine: Int, told: Int = 0) -> [TrackedBatch] {
        var batches = ids.map { TrackedBatch(id: $0, lines: lines, firstLine: firstLine) }
        for (place, line) in lines.enumerated() {
            guard case .accepted(let ordinal, _) = line.fate, batches.indices.contains(ordinal),
                batches[ordinal].places.count < Batch.maximumTargets
            else { continue }
            let isTold = firstLine + place <= told
            batches[ordinal].places.append(Int32(place))
            batches[ordinal].isTold.append(isTold)
            batches[ordinal].remaining += isTold ? 0 : 1
        }
        return batches.filter { $0.remaining > 0 }
    }

    /// Calls `body` with each target that has an outcome that is not reported.
    mutating func tell(
        _ outcomes: BatchOutcomes,
        _ body: (_ index: Int, _ line: Int, _ name: ArraySlice<UInt8>, _ outcome: Outcome) -> Void
    ) {
        for index in self.places.indices where !self.isTold[index] {
            guard let outcome = outcomes.outcome(at: index) else { continue }
            let place = Int(self.places[index])
            self.isTold[index] = true
            self.remaining -= 1
            body(index, self.firstLine + place, self.lines[place].name, outcome)
        }
    }
}
