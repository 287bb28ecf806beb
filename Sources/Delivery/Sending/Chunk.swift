// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// Targets of a batch that are sent and settled together.
struct Chunk: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Consecutive targets without a known attempt.
        case fresh(Range<Int>)

        /// Deferred targets that are due, by their indices.
        case due([Deferral])
    }

    let part: Part

    var count: Int {
        switch self.part {
        case .fresh(let range): range.count
        case .due(let deferrals): deferrals.count
        }
    }

    /// Returns an attempt at each target for which a condition holds, in order.
    func attempts(where isIncluded: (Int) -> Bool) -> [Attempt] {
        var attempts: [Attempt] = []
        attempts.reserveCapacity(self.count)
        switch self.part {
        case .fresh(let range): for index in range where isIncluded(index) { attempts.append(Attempt(index: index)) }
        case .due(let due): for target in due where isIncluded(target.index) { attempts.append(Attempt(target)) }
        }
        return attempts
    }
}

/// The result of a chunk: each target was delivered, failed or is deferred.
struct ChunkResult: Sendable {
    let chunk: Chunk

    /// The targets with an outcome other than `delivered`.
    var failures: [Settlement.Failure] = []

    /// The targets without an outcome, in any order.
    var deferrals: [Deferral] = []
}

/// A target to send, with its earlier attempts.
struct Attempt: Hashable, Sendable {
    /// The target's index in the batch.
    let index: Int

    /// See ``Deferral/attempts``.
    var attempts = 0

    /// See ``Deferral/delays``.
    var delays = 0

    /// Returns a deferral of the target that counts no attempt.
    func deferred(until time: Date) -> Deferral {
        Deferral(index: self.index, attempts: self.attempts, delays: self.delays, notBefore: time)
    }
}

extension Attempt {
    init(_ deferral: Deferral) {
        self.init(index: deferral.index, attempts: deferral.attempts, delays: deferral.delays)
    }
}
