// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

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
    /// - Parameters:
    ///   - ids: the batches in the order of their ordinals.
    ///   - lines: what became of each line.
    ///   - firstLine: the number of the first line.
    ///   - told: the client was told of all lines up to this one.
    /// - Returns: those of which the client was not told all.
    static func batches(_ ids: [BatchID], lines: StreamLineList, firstLine: Int, told: Int = 0) -> [TrackedBatch] {
        var batches = ids.map { TrackedBatch(id: $0, lines: lines, firstLine: firstLine) }
        for (place, line) in lines.enumerated() {
            guard case .accepted(let ordinal, _) = line.fate, batches.indices.contains(ordinal) else { continue }
            let isTold = firstLine + place <= told
            batches[ordinal].places.append(Int32(place))
            batches[ordinal].isTold.append(isTold)
            batches[ordinal].remaining += isTold ? 0 : 1
        }
        return batches.filter { $0.remaining > 0 }
    }

    /// Calls `body` with each target that has its outcome and of which the client was not told.
    ///
    /// - Parameters:
    ///   - outcomes: what is known of the batch.
    ///   - body: is called with the target's index, its line's number and name, and its outcome.
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
