// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore

/// A claim in a transaction of PostgreSQL.
///
/// The server walks again and again over the places that batches had in the index before the transaction ended them, which
/// is why a round ends only so many.
struct PostgresClaim: ClaimTransaction {
    private let connection: PostgresConnection
    private var ends = BatchEnds()

    init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    /// Leases and ends batches; to be committed with what the connection has queued.
    ///
    /// - Returns: what subscribers are told.
    mutating func run(_ round: inout ClaimRound, logger: Logger) throws -> [StoreChange] {
        let kinds = try self.connection.openKinds(in: round.lane)
        while round.goesOn {
            let passed = round.passed
            let found = try self.connection.claimable(round, kinds: kinds)
            var overdue: Set<BatchKind> = []
            for candidate in found {
                let isOverdue = try round.take(candidate, in: &self, logger: logger)
                if isOverdue { overdue.insert(candidate.kind) }
            }
            // Where all candidates were leased, there is no room or there are no more of them.
            round.isComplete = round.passed == passed
            guard !overdue.isEmpty else { continue }
            // Where the time of one is over, that of many may be.
            let others = try self.connection.overdue(round, kinds: kinds.filter { overdue.contains($0.value) })
            for candidate in others { try round.take(candidate, in: &self, logger: logger) }
        }
        let settled = try self.connection.count(off: self.ends)
        var news = FeedNews()
        try self.connection.tell(of: settled, now: round.now, in: &news)
        return try settled.changes + self.connection.append(news)
    }

    mutating func update(_ batch: BatchRow) throws { try self.connection.update(batch) }

    mutating func close(_ batch: BatchRow, remaining: Int, as code: FailureCode) throws {
        try self.connection.close(batch, remaining: remaining, as: code, &self.ends)
    }

    mutating func condemn(_ row: PostgresRow) throws -> Int { try self.connection.condemn(row, &self.ends) }

    mutating func relieve(_ batch: BatchRow) throws { try self.connection.markForRelief(batch, hasFailures: false) }
}

extension PostgresConnection {
    /// Whether everything is leased that a round leased; `false` when there was nothing to lease.
    func holds(_ round: ClaimRound) throws -> Bool {
        guard !round.leases.isEmpty else { return false }
        let row = try self.row(
            """
            SELECT count(*) AS count FROM batches
            WHERE id = ANY($1::uuid[]) AND state = 1 AND worker = $2 AND claimable_at = $3
            """,
            [
                .ids(round.leases.map(\.batch.id.value)), .text(round.worker.rawValue),
                .integer(round.until.millisecondsSince1970),
            ]
        )
        return try row?.number("count") == round.leases.count
    }
}
