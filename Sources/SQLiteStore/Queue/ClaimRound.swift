// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import GRDB
import Logging
import PushModel
import PushStore

/// One transaction of a claim.
///
/// All other changes wait for it. So it ends a few hundred batches at most, and leaves the others to the next round.
struct ClaimRound: Sendable {
    /// How many batches that cannot be leased are looked at before the transaction is committed.
    private static let patience = 200

    let lane: Lane
    let worker: WorkerID
    let until: Date
    let now: Date

    /// What there is room for; less by what was leased.
    private(set) var room: ClaimRoom

    /// What was leased.
    private(set) var leases: [StoredLease] = []

    /// What became of the targets of batches that it ended.
    private(set) var ended = OutcomeCounts()

    /// Whether there is no room, or nothing that may be claimed.
    private(set) var isComplete = false

    private var passed = 0

    init(lane: Lane, worker: WorkerID, until: Date, now: Date, room: ClaimRoom) {
        self.lane = lane
        self.worker = worker
        self.until = until
        self.now = now
        self.room = room
    }

    /// Leases and ends batches.
    mutating func run(on database: Database, logger: Logger, signalling changes: inout [StoreChange]) throws {
        while self.passed < Self.patience {
            let candidates =
                self.room.total > 0
                ? try database.claimable(lane: self.lane, room: self.room, now: self.now) : []
            if candidates.isEmpty {
                self.isComplete = true
                return
            }
            for candidate in candidates { try self.take(candidate, on: database, logger: logger, signalling: &changes) }
        }
    }

    /// Leases a batch, or ends it.
    private mutating func take(
        _ candidate: ClaimCandidate<Row>,
        on database: Database,
        logger: Logger,
        signalling changes: inout [StoreChange]
    ) throws {
        var batch: BatchRow
        do {
            batch = try BatchRow(stored: candidate.row)
        } catch {
            self.passed += 1
            logger.noteDamage(of: candidate, "\(error)")
            try self.condemn(candidate, on: database, signalling: &changes)
            return
        }
        switch batch.lifecycle.claim(by: self.worker, until: self.until, now: self.now) {
        case .granted(_, let due):
            try database.update(batch)
            self.leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
            _ = self.room.take(candidate.kind)
            return
        case .expired(let remaining):
            try database.close(batch, remaining: remaining, as: .expired, now: self.now, signalling: &changes)
            self.ended.add(.failed(.expired), count: remaining)
        case .cancelled(let remaining):
            try database.close(batch, remaining: remaining, as: .cancelled, now: self.now, signalling: &changes)
            self.ended.add(.failed(.cancelled), count: remaining)
        case .postponed:
            try database.update(batch)
            // What its last worker left is given up where something newer waits for it.
            if batch.isActivity { try database.activities.relieve(batch, now: self.now, signalling: &changes) }
        case .paused: try database.update(batch)
        case .refused:
            logger.noteDamage(of: candidate, "it is \(batch.lifecycle.state) at \(self.now)")
            try self.condemn(candidate, on: database, signalling: &changes)
        }
        self.passed += 1
    }

    private mutating func condemn(
        _ candidate: ClaimCandidate<Row>,
        on database: Database,
        signalling changes: inout [StoreChange]
    ) throws {
        let remaining = try database.condemn(candidate.row, now: self.now, signalling: &changes)
        self.ended.add(.failed(.damaged), count: remaining)
    }
}

extension Database {
    /// Batches that may be claimed, the oldest first: at most as many as there is room for in all and of each kind.
    fileprivate func claimable(lane: Lane, room: ClaimRoom, now: Date) throws -> [ClaimCandidate<Row>] {
        var found: [ClaimCandidate<Row>] = []
        for (number, kind) in try self.openKinds(in: lane) {
            let limit = room.remaining(for: kind)
            guard limit > 0 else { continue }
            for state in 0...2 {
                let rows = try self.rows(
                    """
                    SELECT * FROM batches INDEXED BY batches_open
                    WHERE lane = ? AND kind = ? AND state = ? AND claimable_at <= ?
                    ORDER BY claimable_at, id LIMIT ?
                    """,
                    [lane.stored, number, state, now.millisecondsSince1970, limit]
                )
                found += try rows.map { ClaimCandidate(id: try $0.blob("id"), row: $0, kind: kind) }
            }
        }
        return ClaimCandidate.choose(from: found, room: room)
    }
}
