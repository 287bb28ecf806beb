// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// Why a stream came to its end.
enum StreamEnd: Sendable {
    /// The client ended it, and every line has its outcome.
    case complete

    /// The client ended it, and some outcomes take longer than the server waits.
    case outcomesPending

    /// The server is stopping.
    case shuttingDown

    /// The server cannot go on with it.
    case problem(Problem)

    /// What the last line says.
    var reason: String {
        switch self {
        case .complete: "complete"
        case .outcomesPending: "outcomes_pending"
        case .shuttingDown: ProblemCode.shuttingDown.rawValue
        case .problem(let problem): problem.code.rawValue
        }
    }

    /// What is wrong, if anything is.
    var problem: Problem? {
        if case .problem(let problem) = self { problem } else { nil }
    }
}

/// What became of the lines of one connection.
struct StreamTally: Hashable, Sendable {
    /// How many lines were read, without those that were accepted on an earlier connection.
    var lines = 0

    /// How many of them are stored and will be sent.
    var accepted = 0

    /// How many were refused.
    var refused = 0

    /// How many outcomes of each kind were told.
    var delivered = 0
    var rejected = 0
    var failed = 0

    /// How many outcomes are still to come: also those of earlier connections that were asked for.
    var pending = 0

    /// An outcome was told.
    mutating func add(_ outcome: Outcome) {
        self.pending -= 1
        switch outcome {
        case .delivered: self.delivered += 1
        case .rejected: self.rejected += 1
        case .failed: self.failed += 1
        }
    }
}
