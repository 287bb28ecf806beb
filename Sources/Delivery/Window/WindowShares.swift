// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// Divides what may be in flight among those who send: a value without a lock.
///
/// A holder gets more while what it holds stays below a multiple of what is left free. So a holder alone gets most of
/// the window, many get a fair part each, and one whose destination is dead never takes the part of the others.
struct WindowShares {
    /// Who holds a part: the batches of one kind in one lane.
    struct Holder: Hashable, Sendable {
        let lane: Lane
        let kind: BatchKind

        /// How many times as much as is left free the holder may hold: urgent work leaves little, bulk work a third.
        fileprivate var factor: Int {
            switch self.lane {
            case .urgent: 8
            case .bulk: 2
            }
        }
    }

    /// How many targets are free to be sent to.
    private(set) var free: Int

    private var held: [Holder: Int] = [:]
    private let capacity: Int

    /// A window of which nothing is held.
    ///
    /// - Parameter capacity: how many targets may be in flight; at least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
        self.free = self.capacity
    }

    /// Gives a holder a part.
    ///
    /// Whoever holds nothing gets something as long as anything is free; others get all that they ask for or nothing,
    /// so that what is sent together does not fall to pieces.
    /// - Parameters:
    ///   - wanted: how many targets the holder would send to; at least 1.
    ///   - holder: who asks.
    /// - Returns: how many targets it may send to, at most `wanted`; 0 when it has to wait.
    mutating func take(_ wanted: Int, for holder: Holder) -> Int {
        let wanted = min(max(1, wanted), self.capacity)
        let held = self.held[holder, default: 0]
        let granted: Int
        if wanted <= self.free, held + wanted <= holder.factor * (self.free - wanted) {
            granted = wanted
        } else if held == 0, self.free > 0 {
            granted = min(wanted, max(1, self.free * holder.factor / (1 + holder.factor)))
        } else {
            return 0
        }
        self.free -= granted
        self.held[holder] = held + granted
        return granted
    }

    /// Takes a part back.
    mutating func giveBack(_ count: Int, from holder: Holder) {
        self.free += count
        let left = self.held[holder, default: 0] - count
        self.held[holder] = left > 0 ? left : nil
    }
}
