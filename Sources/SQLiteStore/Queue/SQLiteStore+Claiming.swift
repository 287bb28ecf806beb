// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: ClaimingStore {
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        try await self.claimInRounds(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
    }

    package func carryOut(_ round: ClaimRound) async throws -> ClaimRound {
        let logger = self.logger
        return try await self.write(in: round.lane) { database, changes in
            var round = round
            var transaction = SQLiteClaim(database, now: round.now)
            try transaction.run(&round, logger: logger)
            changes += transaction.changes
            return round
        }
    }

    package func contents(of leases: [StoredLease]) async throws -> [Result<BatchContent?, any Error>] {
        let contents = try await self.read { database in
            leases.map { lease in
                Result { try database.content(of: lease.batch) }
            }
        }
        return contents.map { $0.mapError(self.translating) }
    }
}

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

    func list(quarantined batch: BatchRow, now: Date) throws {
        try self.database.list(.batch, batch.id.description, app: batch.app, as: .interrupted, now: now)
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
                        AND (? > 0 OR interrupted + (state = 1) <> ?)
                    ORDER BY claimable_at, id LIMIT ?
                    """,
                    [
                        round.lane.stored, number, state, round.now.millisecondsSince1970, round.room.suspects,
                        Interruptions.maximum - 1, limit,
                    ]
                )
                found += try rows.map { ClaimCandidate(id: try $0.blob("id"), row: $0, kind: kind) }
            }
        }
        return ClaimCandidate.choose(from: found, room: round.room)
    }
}

extension Database {
    /// The number of a kind of batches; it is added when it is new.
    func number(of kind: BatchKind, app: Int64) throws -> Int64 {
        let values: StatementArguments = [app, kind.environments.stored, kind.pushType.rawValue]
        try self.run("INSERT OR IGNORE INTO batch_kinds (app, environments, push_type) VALUES (?, ?, ?)", values)
        let row = try self.row(
            "SELECT number FROM batch_kinds WHERE app = ? AND environments = ? AND push_type = ?",
            values
        )
        guard let row else { throw StoreError.damaged("kind of a batch") }
        return try row.int64("number")
    }

    /// The kinds of which a lane has batches that are not final.
    ///
    /// Takes one step of the index for each kind, however many batches these have.
    func openKinds(in lane: Lane) throws -> [(number: Int64, kind: BatchKind)] {
        try self.rows(Self.openKindsQuery, [lane.stored, lane.stored]).mapReadable(in: "batch_kinds") { row in
            (try row.int64("number"), try BatchKind(stored: row))
        }
    }

    /// Takes the number of the lane twice.
    static let openKindsQuery = """
        WITH RECURSIVE open (kind) AS (
            SELECT (
                SELECT kind FROM batches INDEXED BY batches_open WHERE lane = ? AND claimable_at IS NOT NULL
                ORDER BY kind LIMIT 1
            )
            UNION ALL
            SELECT (
                SELECT batches.kind FROM batches INDEXED BY batches_open
                WHERE batches.lane = ? AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
                ORDER BY batches.kind LIMIT 1
            ) FROM open WHERE open.kind IS NOT NULL
        )
        SELECT batch_kinds.number, batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM open
        CROSS JOIN batch_kinds ON batch_kinds.number = open.kind
        CROSS JOIN apps ON apps.number = batch_kinds.app
        """
}

extension Database {
    /// Ends a batch whose row cannot be read, since it would keep all others of its kind from being claimed.
    ///
    /// Those of its targets that have no outcome count as failed, and its notification, with the campaign that sends it, is
    /// settled without it. How many targets it has follows from the notification where its own number cannot be.
    /// - Returns: how many targets had no outcome.
    func condemn(_ row: Row, now: Date, signalling changes: inout [StoreChange]) throws -> Int {
        let key = try row.blob("id")
        let id = APNsID(stored: key)
        try self.run(
            """
            UPDATE batches SET target_count = max(1, min(?, coalesce(
                (SELECT target_count FROM notifications WHERE id = batches.notification) - (
                    SELECT coalesce(sum(max(0, min(others.target_count, ?))), 0) FROM batches AS others
                    WHERE others.notification = batches.notification AND others.id <> batches.id
                ), 1
            ))) WHERE id = ? AND target_count NOT BETWEEN 1 AND ?
            """,
            [Batch.maximumTargets, Batch.maximumTargets, key, Batch.maximumTargets]
        )
        try self.run(
            """
            UPDATE batches SET state = ?, claimable_at = NULL, deferred = NULL, failure = ?,
                next_target = max(0, min(next_target, target_count)), delivered = max(0, min(delivered, target_count))
            WHERE id = ?
            """,
            [BatchState.failedNumber, FailureCode.corrupt.rawValue, key]
        )
        let found = try self.row(
            """
            SELECT notification, target_count - delivered - (
                SELECT coalesce(sum(max(0, min(count, ?))), 0) FROM batch_counts WHERE batch = batches.id
            ) AS remaining
            FROM batches WHERE id = ?
            """,
            [Batch.maximumTargets, key]
        )
        guard let found, let notification = APNsID(stored: try found.blob("notification")) else { return 0 }
        let remaining = max(0, try found.number("remaining"))
        try self.add(OutcomeCounts(failed: [.corrupt: remaining]), toBatch: key)
        if let batch = id.flatMap(BatchID.init) { changes.append(.batchAdvanced(batch)) }
        if let id = id.flatMap(BatchID.init), let batch = try? self.batch(id), batch.isActivity {
            try self.activities.relieve(batch, now: now, signalling: &changes)
        }
        try self.settleIfDone(NotificationID(notification), now: now, signalling: &changes)
        return remaining
    }
}
