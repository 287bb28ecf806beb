// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// Targets of a batch that are sent, and settled, together.
struct Chunk: Hashable, Sendable {
    /// Which targets they are.
    enum Part: Hashable, Sendable {
        /// Neighbours that were never sent to before, as far as is known.
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

    /// Its targets of which a condition holds, in their order.
    ///
    /// - Returns: an attempt at each.
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

/// What became of a chunk: each of its targets was delivered, failed or is deferred.
struct ChunkResult: Sendable {
    let chunk: Chunk

    /// The targets that came to anything but `delivered`.
    var failures: [Settlement.Failure] = []

    /// The targets that have no outcome and are sent to later, in any order.
    var deferrals: [Deferral] = []
}

/// A target that is about to be sent to, and what it has behind it.
struct Attempt: Hashable, Sendable {
    /// The target's index in the batch.
    let index: Int

    /// How many attempts came to nothing before; see ``Deferral/attempts``.
    var attempts = 0

    /// How often APNs asked for a delay before; see ``Deferral/delays``.
    var delays = 0

    /// The same target, which keeps its turn until a time.
    func deferred(until time: Date) -> Deferral {
        Deferral(index: self.index, attempts: self.attempts, delays: self.delays, notBefore: time)
    }
}

extension Attempt {
    /// Another attempt at a target that was passed over.
    init(_ deferral: Deferral) {
        self.init(index: deferral.index, attempts: deferral.attempts, delays: deferral.delays)
    }
}
