// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// Decides when a lane's loop claims, and how much: a value without a store.
struct LaneState {
    private let limit: Int
    private var running: Set<BatchID> = []
    private var mayHaveMore = true
    private(set) var isClosed = false

    /// A lane in which nothing runs and something may wait.
    ///
    /// - Parameter limit: how many batches may run at once.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a claim makes sense now.
    var isClaimable: Bool { self.mayHaveMore && !self.isClosed && self.running.count < self.limit }

    /// Something may wait in the lane.
    mutating func signal() {
        self.mayHaveMore = true
    }

    /// How many batches to claim now; `nil` when nothing is known to wait, or nothing more may run.
    mutating func takeClaim() -> Int? {
        guard self.isClaimable else { return nil }
        self.mayHaveMore = false
        return self.limit - self.running.count
    }

    /// A batch was claimed.
    ///
    /// - Returns: whether it is to be sent; not when this process sends it already, under a lease that had lapsed.
    mutating func begin(_ batch: BatchID) -> Bool {
        self.running.insert(batch).inserted
    }

    /// A batch is done with.
    mutating func finish(_ batch: BatchID) {
        self.running.remove(batch)
    }

    /// Nothing is claimed any more.
    mutating func close() {
        self.isClosed = true
    }
}
