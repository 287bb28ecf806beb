// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import ServiceLifecycle
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

/// One batch of a stream: which lines its targets are, and which of these the client was told of.
struct TrackedBatch: Sendable {
    let id: BatchID

    /// The lines that were stored together with it.
    let lines: StreamLineList

    /// The number of the first of these lines.
    let firstLine: Int

    /// The places of its targets among these lines, by the targets' indices.
    private var places: [Int32] = []

    private var isTold: [Bool] = []

    /// How many targets the client was not told of.
    private(set) var remaining = 0

    private init(id: BatchID, lines: StreamLineList, firstLine: Int) {
        self.id = id
        self.lines = lines
        self.firstLine = firstLine
    }

    /// The batches of a chunk.
    ///
    /// The client was told of all lines up to `told`.
    /// - Returns: those of which the client was not told all.
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

    /// Calls `body` with each target that has its outcome and of which the client was not told.
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

/// Tells streams which of their batches have advanced, from one subscription to the store.
///
/// While `run()` is not active, nobody is told; streams then depend on their slow re-check.
final class BatchSignals: Service {
    private let changes: AsyncStream<StoreChange>
    private let watching = Mutex<[BatchID: [BatchInbox]]>([:])

    /// Subscribes to the store at once, so that nothing is missed before `run()` has begun.
    init(store: any PushStore) {
        self.changes = store.changes { change in
            if case .batchAdvanced = change { true } else { false }
        }
    }

    func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if case .batchAdvanced(let id) = change {
                for inbox in self.watching.withLock({ $0[id] ?? [] }) { inbox.add(id) }
            } else {
                // Some were missed: of any batch.
                for (id, inboxes) in self.watching.withLock(\.self) { for inbox in inboxes { inbox.add(id) } }
            }
        }
    }

    /// Has an inbox told of batches from now on.
    func watch(_ batches: [BatchID], for inbox: BatchInbox) {
        self.watching.withLock { watching in
            for batch in batches { watching[batch, default: []].append(inbox) }
        }
    }

    /// Has an inbox told of batches no more.
    func forget(_ batches: [BatchID], for inbox: BatchInbox) {
        self.watching.withLock { watching in
            for batch in batches {
                watching[batch]?.removeAll { $0 === inbox }
                if watching[batch]?.isEmpty == true { watching[batch] = nil }
            }
        }
    }
}

/// The batches of one stream that are to be looked at.
final class BatchInbox: Sendable {
    /// There are some.
    let wakes: AsyncStream<Void>

    private let wake: AsyncStream<Void>.Continuation
    private let batches = Mutex<Set<BatchID>>([])

    init() {
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// A batch is to be looked at.
    func add(_ batch: BatchID) {
        self.batches.withLock { _ = $0.insert(batch) }
        self.wake.yield()
    }

    func takeAll() -> [BatchID] {
        self.batches.withLock { batches in
            defer { batches = [] }
            return Array(batches)
        }
    }
}
