// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// The counts of the lines of one connection.
struct StreamCounts: Hashable, Sendable {
    /// How many lines were read, without those that were accepted on an earlier connection.
    var linesRead = 0

    /// How many of them are stored and will be sent.
    var accepted = 0

    /// How many were rejected.
    var rejectedLines = 0

    /// The number of reported outcomes of each kind.
    var delivered = 0
    var rejected = 0
    var failed = 0

    /// How many outcomes are still to come: also those of earlier connections that were asked for.
    var pending = 0

    /// Counts a reported outcome.
    mutating func add(_ outcome: Outcome) {
        self.pending -= 1
        switch outcome {
        case .delivered: self.delivered += 1
        case .rejected: self.rejected += 1
        case .failed: self.failed += 1
        }
    }
}
