// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import PushModel

/// What became of a slice of a batch.
struct SliceResult: Sendable {
    /// Why some targets of the slice have no outcome.
    enum Obstacle: Hashable, Sendable {
        /// A destination cannot be reached; with the client's words.
        case unreachable(APNsDestination, String)

        /// The sending was called off.
        case cancelled
    }

    /// The slice.
    let range: Range<Int>

    /// The targets that came to anything but `delivered`.
    var failures: [Settlement.Failure] = []

    /// The targets that have no outcome.
    var open: [Int] = []

    /// Why these have none; `nil` when all have.
    var obstacle: Obstacle?

    /// A slice of which nothing is known yet.
    init(range: Range<Int>) {
        self.range = range
    }

    /// The index of the first target without an outcome, or the slice's end.
    var end: Int { self.open.min() ?? self.range.upperBound }

    /// Gives targets that were not sent no outcome.
    ///
    /// - Parameters:
    ///   - indices: the targets.
    ///   - obstacle: why; that a destination cannot be reached outweighs that the sending was called off.
    mutating func leaveOpen(_ indices: some Sequence<Int>, because obstacle: Obstacle) {
        self.open.append(contentsOf: indices)
        if case .unreachable? = self.obstacle { return }
        self.obstacle = obstacle
    }

    /// Gives targets the same outcome.
    mutating func fail(_ indices: some Sequence<Int>, _ outcome: Outcome) {
        self.failures.append(contentsOf: indices.map { Settlement.Failure(index: $0, outcome: outcome) })
    }
}
