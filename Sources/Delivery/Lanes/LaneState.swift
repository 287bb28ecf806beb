// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Foundation
import Logging
import PushModel
import PushStore

/// Decides when a lane's loop claims, and how much of which kind: a value without a store.
///
/// Batches of kinds that answer share the lane's limit, of which one kind never takes more than is left free. Of a kind
/// of which nobody knows whether it answers a single batch runs, beside the limit: a dead one takes no place of others.
/// Of these there are twice as many as the limit at most; the next ones wait until one of them is known.
struct LaneState {
    private struct Running {
        let kind: BatchKind
        var wasClaimedAgain = false
    }

    private let limit: Int
    private var running: [BatchID: Running] = [:]
    private var counts: [BatchKind: Int] = [:]
    /// Batches that are about to be accepted, for which a place is kept.
    private var reserved: Set<BatchID> = []
    private var mayHaveMore = true
    /// Whether the last claim left something behind for want of room.
    private var wasShort = false
    private(set) var isClosed = false

    /// A lane in which nothing runs and something may wait.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Whether a claim makes sense now.
    var isClaimable: Bool { self.mayHaveMore && !self.isClosed && self.running.count < 3 * self.limit }

    /// Whether nothing more is handed over: the lane is closed, and for nothing a place is kept.
    var isDone: Bool { self.isClosed && self.reserved.isEmpty }

    /// Something may wait in the lane.
    mutating func signal() {
        self.mayHaveMore = true
    }

    /// Decides how much to claim now.
    ///
    /// - Returns: the room there is; `nil` when nothing is known to wait, or nothing more may run.
    mutating func takeClaim(_ standings: [BatchKind: Breaker.Standing]) -> ClaimRoom? {
        guard self.isClaimable else { return nil }
        self.mayHaveMore = false
        var room = ClaimRoom(
            total: min(1000, 3 * self.limit - self.running.count),
            perKind: 1,
            otherKinds: max(0, 2 * self.limit - self.count(of: standings, areAnswering: false))
        )
        for kind in Set(standings.keys).union(self.counts.keys) {
            // Which of those that are not named have what room there is for such is decided by who waits longest.
            if self.counts[kind] == nil, standings[kind] == .unproven { continue }
            room.kinds[kind] = self.room(for: kind, standings)
        }
        self.wasShort = self.counts.keys.contains { room.limit(for: $0) == 0 }
        return room
    }

    /// How many more batches of a kind may run.
    private func room(for kind: BatchKind, _ standings: [BatchKind: Breaker.Standing]) -> Int {
        let own = self.counts[kind, default: 0]
        switch standings[kind] {
        case .answering:
            let free = max(0, self.limit - self.count(of: standings, areAnswering: true))
            return own == 0 ? max(min(1, free), free / 2) : max(0, (free - own) / 2)
        case .unproven, nil: return own == 0 && self.count(of: standings, areAnswering: false) < 2 * self.limit ? 1 : 0
        case .paused: return 0
        }
    }

    /// How many batches run of the kinds that answer, or of all others.
    private func count(of standings: [BatchKind: Breaker.Standing], areAnswering: Bool) -> Int {
        self.counts.reduce(0) { $0 + ((standings[$1.key] == .answering) == areAnswering ? $1.value : 0) }
    }

    // MARK: Handing over

    /// Keeps a place for a batch that is about to be accepted, and is sent without a claim then.
    ///
    /// Not while others wait: those go first.
    /// - Returns: whether there is one.
    mutating func reserve(
        _ batch: BatchID,
        of kind: BatchKind,
        _ standings: [BatchKind: Breaker.Standing]
    ) -> Bool {
        guard !self.isClosed, !self.mayHaveMore, !self.wasShort, self.running.count < 3 * self.limit,
            self.room(for: kind, standings) > 0
        else { return false }
        self.reserved.insert(batch)
        self.add(batch, of: kind)
        return true
    }

    /// A batch for which a place was kept is stored: it runs.
    mutating func confirm(_ batch: BatchID) {
        self.reserved.remove(batch)
    }

    /// A batch for which a place was kept is not stored: the place is free again.
    mutating func forgo(_ batch: BatchID) {
        self.reserved.remove(batch)
        _ = self.finish(batch)
    }

    private mutating func add(_ batch: BatchID, of kind: BatchKind) {
        self.running[batch] = Running(kind: kind)
        self.counts[kind, default: 0] += 1
    }

    // MARK: Running

    /// A claim was answered.
    ///
    /// - Returns: the batches that are to be sent: not those that this process is sending already.
    mutating func admit(_ batches: [ClaimedBatch], of room: ClaimRoom) -> [ClaimedBatch] {
        // As many as were asked for: there may be more.
        if batches.count >= room.total { self.mayHaveMore = true }
        let kinds = Dictionary(grouping: batches, by: \.batch.kind)
        if kinds.contains(where: { $0.value.count >= room.limit(for: $0.key) }) { self.wasShort = true }
        return batches.filter { claimed in
            guard self.running[claimed.batch.id] == nil else {
                self.running[claimed.batch.id]?.wasClaimedAgain = true
                return false
            }
            self.add(claimed.batch.id, of: claimed.batch.kind)
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
