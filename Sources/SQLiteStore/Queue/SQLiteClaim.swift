// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import SQLite

/// A claim in a transaction of SQLite, for which all other changes wait.
struct SQLiteClaim: ClaimTransaction {
    private let database: Database
    private let now: Date

    /// What subscribers are told once it is committed.
    private(set) var changes: [StoreChange] = []

    init(_ database: Database, now: Date) {
        self.database = database
        self.now = now
    }

    /// Leases and ends batches.
    mutating func run(_ round: inout ClaimRound, logger: Logger) throws {
        while round.goesOn {
            let candidates = round.room.total > 0 ? try self.database.claimable(round) : []
            for candidate in candidates { try round.take(candidate, in: &self, logger: logger) }
            round.isComplete = candidates.isEmpty
        }
    }

    mutating func update(_ batch: BatchRow) throws { try self.database.update(batch) }

    mutating func close(_ batch: BatchRow, remaining: Int, as code: FailureCode) throws {
        try self.database.close(batch, remaining: remaining, as: code, now: self.now, signalling: &self.changes)
    }

    mutating func condemn(_ row: Row) throws -> Int {
        try self.database.condemn(row, now: self.now, signalling: &self.changes)
    }

    mutating func relieve(_ batch: BatchRow) throws {
        guard batch.isActivity else { return }
        try self.database.activities.relieve(batch, now: self.now, signalling: &self.changes)
    }
}

extension Database {
    /// Batches that a round may lease, the oldest first: at most as many as there is room for in all and of each kind.
    fileprivate func claimable(_ round: ClaimRound) throws -> [ClaimCandidate<Row>] {
        var found: [ClaimCandidate<Row>] = []
        for (number, kind) in try self.openKinds(in: round.lane) {
            let limit = round.room.remaining(for: kind)
            guard limit > 0 else { continue }
            for state in 0...2 {
                let rows = try self.rows(
                    """
                    SELECT * FROM batches INDEXED BY batches_open
                    WHERE lane = ? AND kind = ? AND state = ? AND claimable_at <= ?
                    ORDER BY claimable_at, id LIMIT ?
                    """,
                    [round.lane.stored, number, state, round.now.millisecondsSince1970, limit]
                )
                found += try rows.map { ClaimCandidate(id: try $0.blob("id"), row: $0, kind: kind) }
            }
        }
        return ClaimCandidate.choose(from: found, room: round.room)
    }
}
