// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Decides when a lane claims, and how many batches of each kind: a pure state machine.
///
/// Kinds with a closed circuit share the limit of the lane. One kind never takes more than it leaves free. A kind with
/// a half-open circuit runs one batch at a time beside the limit, so that an unreachable circuit does not delay others.
/// At most twice the limit of such batches run; the next ones wait.
///
/// Small batches of kinds with a closed circuit have limits of their own, which the kinds share in the same way.
struct LaneState {
    /// The limits of small batches: those of a kind with one environment and a closed circuit.
    struct SmallLimits: Sendable {
        /// The most targets of a small batch; 0 makes no batch small.
        var size = 0

        /// The most small batches at the same time.
        var batches = 0

        /// The most targets of these.
        var targets = 0
    }

    private struct Running {
        let kind: RoutingKey
        /// The number of targets of a small batch; `nil` for all others.
        let smallTargets: Int?
        var wasClaimedAgain = false
        var isSuspect = false
        var keepsLease = false
    }

    private let limit: Int
    private let smallLimits: SmallLimits
    private var running: [BatchID: Running] = [:]
    /// The batches that are not small, by kind.
    private var counts: [RoutingKey: Int] = [:]
    private var smallCounts: [RoutingKey: Int] = [:]
    private var smallCount = 0
    private var smallTargets = 0
    /// The batches that are about to be accepted, for which capacity is reserved.
    private var reserved: Set<BatchID> = []
    private var mayHaveMore = true
    /// Whether the last claim left batches behind because of its limits.
    private var wasShort = false
    /// The routing keys with small batches that the last claim left because of its limits; `nil` before the first
    /// claim.
    private var backlogged: Set<RoutingKey>?
    /// Whether the store may lease batches to this process that it does not process.
    private var mayHaveOrphans = false
    private(set) var isClosed = false

    init(limit: Int, small: SmallLimits = SmallLimits()) {
        self.limit = max(1, limit)
        self.smallLimits = small
    }

    private var largeCount: Int { self.running.count - self.smallCount }

    var isClaimable: Bool {
        self.mayHaveMore && !self.isClosed
            && (self.largeCount < 3 * self.limit || self.smallCount < self.smallLimits.batches)
    }

    /// Whether no batch can be handed off: the lane is closed, and no reservation is left.
    var isDone: Bool { self.isClosed && self.reserved.isEmpty }

    /// Records that the lane may have queued batches.
    mutating func signal() { self.mayHaveMore = true }

    /// The limits of the next claim; `nil` if no batch is known to be queued, or no more can run.
    mutating func takeClaim(_ standings: [RoutingKey: CircuitBreaker.Standing]) -> ClaimLimits? {
        guard self.isClaimable else { return nil }
        self.mayHaveMore = false
        // 0 if the claim is for small batches only.
        let free = max(0, 3 * self.limit - self.largeCount)
        var room = ClaimLimits(
            total: min(1000, free),
            perKind: 1,
            otherKinds: min(free, max(0, 2 * self.limit - self.count(of: standings, areClosed: false)))
        )
        room.small = SmallRoom(
            size: self.smallLimits.size,
            targets: max(0, self.smallLimits.targets - self.smallTargets)
        )
        for kind in Set(standings.keys).union(self.counts.keys) {
            // Kinds without a limit of their own share `otherKinds`: the store claims those that wait longest.
            if self.counts[kind] == nil, standings[kind] == .halfOpen { continue }
            room.kinds[kind] = min(free, self.room(for: kind, standings))
            guard self.smallLimits.size > 0, standings[kind] == .closed, kind.hasOneEnvironment else { continue }
            room.small.kinds[kind] = self.smallRoom(for: kind)
        }
        self.wasShort = self.counts.keys.contains { room.limit(for: $0) == 0 }
        return room
    }

    /// Returns how many more batches of a kind can run.
    private func room(for kind: RoutingKey, _ standings: [RoutingKey: CircuitBreaker.Standing]) -> Int {
        let own = self.counts[kind, default: 0]
        switch standings[kind] {
        case .closed:
            return Self.share(of: self.limit - self.count(of: standings, areClosed: true), own: own)
        case .halfOpen, nil: return own == 0 && self.count(of: standings, areClosed: false) < 2 * self.limit ? 1 : 0
        case .open: return 0
        }
    }

    private func smallRoom(for kind: RoutingKey) -> Int {
        Self.share(of: self.smallLimits.batches - self.smallCount, own: self.smallCounts[kind, default: 0])
    }

    /// The part of the free capacity for a kind that has `own` already: never more than it leaves free.
    private static func share(of free: Int, own: Int) -> Int {
        let free = max(0, free)
        return own == 0 ? max(min(1, free), free / 2) : max(0, (free - own) / 2)
    }

    /// Counts the running batches of the kinds with a closed circuit, or of all other kinds; small ones do not count.
    private func count(of standings: [RoutingKey: CircuitBreaker.Standing], areClosed: Bool) -> Int {
        self.counts.reduce(0) { $0 + ((standings[$1.key] == .closed) == areClosed ? $1.value : 0) }
    }

    // MARK: Handing over

    /// Reserves capacity for a batch that is about to be accepted, so that it needs no claim; `false` if none is free.
    ///
    /// Not while other batches are queued, because these go first.
    mutating func reserve(
        _ batch: BatchID,
        of kind: RoutingKey,
        _ standings: [RoutingKey: CircuitBreaker.Standing]
    ) -> Bool {
        guard !self.isClosed, !self.mayHaveMore, !self.wasShort, self.largeCount < 3 * self.limit,
            self.room(for: kind, standings) > 0
        else { return false }
        self.reserved.insert(batch)
        self.add(batch, of: kind)
        return true
    }

    /// Reserves capacity for a small batch that is about to be accepted; `false` if none is free.
    ///
    /// Not while the kind has a backlog. Single batches that are queued do not count: there is capacity for them, so
    /// the next claim starts them. Otherwise each batch that has to be claimed would make others be claimed.
    mutating func reserveSmall(_ batch: BatchID, of kind: RoutingKey, targets: Int) -> Bool {
        guard !self.isClosed, self.backlogged?.contains(kind) == false, self.smallRoom(for: kind) > 0,
            targets <= self.smallLimits.targets - self.smallTargets
        else { return false }
        self.reserved.insert(batch)
        self.add(batch, of: kind, smallTargets: targets)
        return true
    }

    /// Records that a batch with a reservation was stored and runs.
    mutating func confirm(_ batch: BatchID) { self.reserved.remove(batch) }

    /// Cancels the reservation of a batch that was not stored, or whose lease ends too soon.
    ///
    /// After a lost connection it may be stored all the same.
    mutating func forgo(_ batch: BatchID) {
        self.reserved.remove(batch)
        self.mayHaveOrphans = true
        _ = self.finish(batch)
    }

    private mutating func add(_ batch: BatchID, of kind: RoutingKey, smallTargets: Int? = nil) {
        self.running[batch] = Running(kind: kind, smallTargets: smallTargets)
        guard let smallTargets else {
            self.counts[kind, default: 0] += 1
            return
        }
        self.smallCounts[kind, default: 0] += 1
        self.smallCount += 1
        self.smallTargets += smallTargets
    }

    // MARK: Running

    /// Records the result of a claim; returns the batches to send, without those that this process sends already.
    mutating func admit(_ batches: [ClaimedBatch], of room: ClaimLimits) -> [ClaimedBatch] {
        var small = room.small
        var large: [RoutingKey: Int] = [:]
        let admitted = batches.filter { claimed in
            let (kind, targets) = (claimed.batch.kind, claimed.batch.targets.count)
            let isSmall = small.take(kind, targets: targets) != nil
            if !isSmall { large[kind, default: 0] += 1 }
            guard self.running[claimed.batch.id] == nil else {
                self.running[claimed.batch.id]?.wasClaimedAgain = true
                return false
            }
            self.add(claimed.batch.id, of: kind, smallTargets: isSmall ? targets : nil)
            self.running[claimed.batch.id]?.isSuspect = claimed.isSuspect
            return true
        }
        // The claim reached its limit, so there may be more.
        if large.values.reduce(0, +) >= max(1, room.total) { self.mayHaveMore = true }
        if large.contains(where: { $0.value >= room.limit(for: $0.key) }) { self.wasShort = true }
        self.backlogged = Set(small.kinds.keys.filter { small.isExhausted(for: $0) })
        return admitted
    }

    /// Records that the processing of a batch ends and that its lease may remain.
    mutating func keepLease(of batch: BatchID) { self.running[batch]?.keepsLease = true }

    /// Records that a batch was released; returns whether it was claimed again, which must be released.
    mutating func finish(_ batch: BatchID) -> Bool {
        guard let ended = self.running.removeValue(forKey: batch) else { return false }
        if ended.keepsLease { self.mayHaveOrphans = true }
        // A claim returns one suspect batch, so the next one need not wait for a poll.
        if ended.isSuspect { self.mayHaveMore = true }
        if let targets = ended.smallTargets {
            Self.decrement(&self.smallCounts, ended.kind)
            self.smallCount -= 1
            self.smallTargets -= targets
            // One claim of many batches costs less than many claims.
            let isBacklogged = self.backlogged?.contains {
                self.smallCounts[$0, default: 0] <= self.smallLimits.batches / 4
            }
            if isBacklogged == true, self.smallTargets <= self.smallLimits.targets / 2 { self.mayHaveMore = true }
        } else {
            Self.decrement(&self.counts, ended.kind)
            if self.wasShort {
                self.wasShort = false
                self.mayHaveMore = true
            }
        }
        return ended.wasClaimedAgain
    }

    // MARK: Orphans

    /// Records that the store may have leased batches without the knowledge of this process.
    mutating func expectOrphans() { self.mayHaveOrphans = true }

    /// Returns whether orphans are to be looked for, once for each time that they were expected.
    mutating func takeOrphanSearch() -> Bool {
        defer { self.mayHaveOrphans = false }
        return self.mayHaveOrphans
    }

    func isRunning(_ batch: BatchID) -> Bool { self.running[batch] != nil }

    private static func decrement(_ counts: inout [RoutingKey: Int], _ kind: RoutingKey) {
        let left = counts[kind, default: 0] - 1
        counts[kind] = left > 0 ? left : nil
    }

    mutating func close() { self.isClosed = true }
}

extension RoutingKey {
    var hasOneEnvironment: Bool { self.environments.count == 1 }
}
