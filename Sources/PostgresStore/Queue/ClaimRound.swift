// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One transaction of a claim.
///
/// The server walks again and again over the places that batches had in the index before this transaction ended them. So
/// it ends a few hundred at most, and leaves the others to the next round.
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

    /// Leases and ends batches; to be committed with what the connection has queued.
    ///
    /// - Returns: what subscribers are told.
    mutating func run(on connection: PostgresConnection, logger: Logger) throws -> [StoreChange] {
        let kinds = try connection.openKinds(in: self.lane)
        var ends = BatchEnds()
        while !self.isComplete, self.passed < Self.patience {
            let passed = self.passed
            let found = try connection.claimable(lane: self.lane, kinds: kinds, room: self.room, now: self.now)
            var overdue: Set<BatchKind> = []
            for candidate in found {
                let isOverdue = try self.take(candidate, on: connection, &ends, logger: logger)
                if isOverdue { overdue.insert(candidate.kind) }
            }
            // Where all candidates were leased, there is no room or there are no more of them.
            self.isComplete = self.passed == passed
            guard !overdue.isEmpty else { continue }
            // Where the time of one is over, that of many may be.
            let others = try connection.overdue(
                lane: self.lane,
                kinds: kinds.filter { overdue.contains($0.value) },
                limit: Self.patience,
                now: self.now
            )
            for candidate in others { _ = try self.take(candidate, on: connection, &ends, logger: logger) }
        }
        let settled = try connection.count(off: ends)
        var news = FeedNews()
        try connection.tell(of: settled, now: self.now, in: &news)
        return try settled.changes + connection.append(news)
    }

    /// Leases a batch, or ends it.
    ///
    /// - Returns: whether its time was over.
    private mutating func take(
        _ candidate: ClaimCandidate<PostgresRow>,
        on connection: PostgresConnection,
        _ ends: inout BatchEnds,
        logger: Logger
    ) throws -> Bool {
        var batch: BatchRow
        do {
            batch = try BatchRow(stored: candidate.row)
        } catch {
            self.passed += 1
            logger.noteDamage(of: candidate, "\(error)")
            self.ended.add(.failed(.damaged), count: try connection.condemn(candidate.row, &ends))
            return false
        }
        switch batch.lifecycle.claim(by: self.worker, until: self.until, now: self.now) {
        case .granted(_, let due):
            try connection.update(batch)
            self.leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
            _ = self.room.take(candidate.kind)
            return false
        case .expired(let remaining):
            try connection.close(batch, remaining: remaining, as: .expired, &ends)
            self.ended.add(.failed(.expired), count: remaining)
        case .cancelled(let remaining):
            try connection.close(batch, remaining: remaining, as: .cancelled, &ends)
            self.ended.add(.failed(.cancelled), count: remaining)
        case .postponed:
            try connection.update(batch)
            // What its last worker left is given up where something newer waits for it.
            try connection.markForRelief(batch, hasFailures: false)
        case .paused: try connection.update(batch)
        case .refused:
            logger.noteDamage(of: candidate, "it is \(batch.lifecycle.state) at \(self.now)")
            self.ended.add(.failed(.damaged), count: try connection.condemn(candidate.row, &ends))
        }
        self.passed += 1
        return batch.lifecycle.state == .expired
    }
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
