// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Decides when a lane claims, and how many batches of each kind: a pure state machine.
///
/// Kinds with a closed circuit share the limit of the lane. One kind never takes more than it leaves free. A kind with
/// a half-open circuit runs one batch at a time beside the limit, so that an unreachable circuit does not delay others.
/// At most twice the limit of such batches run; the next ones wait.
struct LaneState {
    private struct Running {
        let kind: BatchKind
        var wasClaimedAgain = false
    }

    private let limit: Int
    private var running: [BatchID: Running] = [:]
    private var counts: [BatchKind: Int] = [:]
    /// The batches that are about to be accepted, for which capacity is reserved.
    private var reserved: Set<BatchID> = []
    private var mayHaveMore = true
    /// Whether the last claim left batches behind because of its limits.
    private var wasShort = false
    private(set) var isClosed = false

    init(limit: Int) { self.limit = max(1, limit) }

    var isClaimable: Bool { self.mayHaveMore && !self.isClosed && self.running.count < 3 * self.limit }

    /// Whether no batch is handed off any more: the lane is closed, and no reservation is left.
    var isDone: Bool { self.isClosed && self.reserved.isEmpty }

    /// Records that the lane may have queued batches.
    mutating func signal() { self.mayHaveMore = true }

    /// The limits of the next claim; `nil` if no batch is known to be queued, or no more can run.
    mutating func takeClaim(_ standings: [BatchKind: Breaker.Standing]) -> ClaimRoom? {
        guard self.isClaimable else { return nil }
        self.mayHaveMore = false
        var room = ClaimRoom(
            total: min(1000, 3 * self.limit - self.running.count),
            perKind: 1,
            otherKinds: max(0, 2 * self.limit - self.count(of: standings, areAnswering: false))
        )
        for kind in Set(standings.keys).union(self.counts.keys) {
            // Kinds without a limit of their own share `otherKinds`: the store claims those that wait longest.
            if self.counts[kind] == nil, standings[kind] == .unproven { continue }
            room.kinds[kind] = self.room(for: kind, standings)
        }
        self.wasShort = self.counts.keys.contains { room.limit(for: $0) == 0 }
        return room
    }

    /// Returns how many more batches of a kind can run.
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

    /// Counts the running batches of the kinds with a closed circuit, or of all other kinds.
    private func count(of standings: [BatchKind: Breaker.Standing], areAnswering: Bool) -> Int {
        self.counts.reduce(0) { $0 + ((standings[$1.key] == .answering) == areAnswering ? $1.value : 0) }
    }

    // MARK: Handing over

    /// Reserves capacity for a batch that is about to be accepted, so that it needs no claim; `false` if none is free.
    ///
    /// Not while other batches are queued, because these go first.
    mutating func reserve(_ batch: BatchID, of kind: BatchKind, _ standings: [BatchKind: Breaker.Standing]) -> Bool {
        guard !self.isClosed, !self.mayHaveMore, !self.wasShort, self.running.count < 3 * self.limit,
            self.room(for: kind, standings) > 0
        else { return false }
        self.reserved.insert(batch)
        self.add(batch, of: kind)
        return true
    }

    /// Records that a batch with a reservation was stored and runs.
    mutating func confirm(_ batch: BatchID) { self.reserved.remove(batch) }

    /// Cancels the reservation of a batch that was not stored.
    mutating func forgo(_ batch: BatchID) {
        self.reserved.remove(batch)
        _ = self.finish(batch)
    }

    private mutating func add(_ batch: BatchID, of kind: BatchKind) {
        self.running[batch] = Running(kind: kind)
        self.counts[kind, default: 0] += 1
    }

    // MARK: Running

    /// Records the result of a claim; returns the batches to send, without those that this process sends already.
    mutating func admit(_ batches: [ClaimedBatch], of room: ClaimRoom) -> [ClaimedBatch] {
        // The claim reached its limit, so there may be more.
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

    /// Records that a batch was released; returns whether it was claimed again, which must be released.
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

    mutating func close() { self.isClosed = true }
}
