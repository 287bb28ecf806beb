// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Decides when a lane's loop claims, and how much of which kind: a value without a store.
///
/// Batches of kinds that answer share the lane's limit, of which one kind never takes more than is left free. Of a kind
/// of which nobody knows whether it answers a single batch runs, beside the limit: a dead one takes no place of others.
struct LaneState {
    private struct Running {
        let kind: BatchKind
        var wasClaimedAgain = false
    }

    private let limit: Int
    private var running: [BatchID: Running] = [:]
    private var counts: [BatchKind: Int] = [:]
    private var mayHaveMore = true
    /// Whether the last claim left something behind for want of room.
    private var wasShort = false
    private(set) var isClosed = false

    /// A lane in which nothing runs and something may wait.
    ///
    /// - Parameter limit: how many batches of kinds that answer may run at once, and how many others beside them.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Whether a claim makes sense now.
    var isClaimable: Bool { self.mayHaveMore && !self.isClosed && self.running.count < 2 * self.limit }

    /// Something may wait in the lane.
    mutating func signal() {
        self.mayHaveMore = true
    }

    /// Decides how much to claim now.
    ///
    /// - Parameter standings: how the kinds stand that were sent before.
    /// - Returns: the room there is; `nil` when nothing is known to wait, or nothing more may run.
    mutating func takeClaim(_ standings: [BatchKind: Breaker.Standing]) -> ClaimRoom? {
        guard self.isClaimable else { return nil }
        self.mayHaveMore = false
        let answering = self.counts.reduce(0) { $0 + (standings[$1.key] == .answering ? $1.value : 0) }
        let free = max(0, self.limit - answering)
        var room = ClaimRoom(total: min(1000, 2 * self.limit - self.running.count), perKind: 1)
        for (kind, standing) in standings {
            let own = self.counts[kind, default: 0]
            switch standing {
            case .answering: room.kinds[kind] = own == 0 ? max(min(1, free), free / 2) : max(0, (free - own) / 2)
            case .unproven: room.kinds[kind] = max(0, 1 - own)
            case .paused: room.kinds[kind] = 0
            }
        }
        for (kind, own) in self.counts where standings[kind] == nil { room.kinds[kind] = max(0, 1 - own) }
        self.wasShort = self.counts.keys.contains { room.limit(for: $0) == 0 }
        return room
    }

    /// A claim was answered.
    ///
    /// - Returns: the batches that are to be sent: not those that this process is sending already.
    mutating func begin(_ batches: [ClaimedBatch], of room: ClaimRoom) -> [ClaimedBatch] {
        // As many as were asked for: there may be more.
        if batches.count >= room.total { self.mayHaveMore = true }
        let kinds = Dictionary(grouping: batches, by: \.batch.kind)
        if kinds.contains(where: { $0.value.count >= room.limit(for: $0.key) }) { self.wasShort = true }
        return batches.filter { claimed in
            guard self.running[claimed.batch.id] == nil else {
                self.running[claimed.batch.id]?.wasClaimedAgain = true
                return false
            }
            let kind = claimed.batch.kind
            self.running[claimed.batch.id] = Running(kind: kind)
            self.counts[kind, default: 0] += 1
            return true
        }
    }

    /// A batch is done with, and given back.
    ///
    /// - Returns: whether it was claimed again meanwhile and not begun: that claim is to be released.
    mutating func finish(_ batch: BatchID) -> Bool {
        guard let ended = self.running.removeValue(forKey: batch) else { return false }
        let left = self.counts[ended.kind, default: 0] - 1
        self.counts[ended.kind] = left > 0 ? left : nil
        if self.wasShort {
            self.wasShort = false
            self.mayHaveMore = true
        }
        return ended.wasClaimedAgain
    }

    /// Nothing is claimed any more.
    mutating func close() {
        self.isClosed = true
    }
}
