// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Targets of a batch that are sent, and settled, together.
struct Slice: Hashable, Sendable {
    /// Which targets they are.
    enum Part: Hashable, Sendable {
        /// Neighbours that were never sent to before, as far as is known.
        case fresh(Range<Int>)

        /// Deferred targets that are due, by their indices.
        case due([Deferral])
    }

    let part: Part

    /// How many targets it has.
    var count: Int {
        switch self.part {
        case .fresh(let range): range.count
        case .due(let deferrals): deferrals.count
        }
    }

    /// Its targets, as they would be deferred if nothing came of them.
    func targets(notBefore: Date) -> [Deferral] {
        switch self.part {
        case .fresh(let range): range.map { Deferral(index: $0, notBefore: notBefore) }
        case .due(let deferrals): deferrals
        }
    }
}

/// What became of a slice: each of its targets was delivered, failed or is deferred.
struct SliceResult: Sendable {
    /// The slice.
    let slice: Slice

    /// The targets that came to anything but `delivered`.
    var failures: [Settlement.Failure] = []

    /// The targets that have no outcome and are sent to later, in any order.
    var deferrals: [Deferral] = []
}
