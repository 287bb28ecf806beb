// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore: ClaimingStore {
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
        return try await self.write(isStored: { try $0.holds($1) }) { connection, changes in
            var round = round
            var transaction = PostgresClaim(connection)
            changes = try transaction.run(&round, logger: logger)
            return round
        }
    }

    package func contents(of leases: [StoredLease]) async throws -> [Result<BatchContent?, any Error>] {
        try await self.run(isCancellable: false) { connection in
            let contents = try connection.rows(
                "SELECT * FROM batch_contents WHERE batch = ANY($1::uuid[])",
                [.ids(leases.map(\.batch.id.value))]
            )
            let rows = Dictionary(contents.map { (try? $0.blob("batch"), $0) }) { first, _ in first }
            return leases.map { lease in
                Result {
                    guard let row = rows[lease.batch.id.value.stored] else {
                        throw StoreError.damaged("content of a batch")
                    }
                    return try BatchContent(stored: row, targetCount: lease.batch.lifecycle.targetCount)
                }
            }
        }
    }
}

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

    func list(quarantined batch: BatchRow, now: Date) throws {
        try self.connection.list(.batch, batch.id.description, app: batch.app, as: .interrupted, now: now)
    }

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

extension PostgresConnection {
    /// The kinds of which a lane has batches that may be claimed, now or later, by their numbers.
    func openKinds(in lane: Lane) throws -> [Int64: BatchKind] {
        try self.rows(Self.openKindsQuery, [.number(lane.stored)]).reduce(into: [:]) { kinds, row in
            guard let kind = try row.readable(in: "batch_kinds", { try BatchKind(stored: $0) }) else { return }
            kinds[try row.int64("number")] = kind
        }
    }

    /// Batches that a round may lease, the oldest first: at most as many as there is room for in all and of each kind.
    ///
    /// Nobody else claims or changes them before the transaction ends; those that others hold are left out.
    func claimable(_ round: ClaimRound, kinds: [Int64: BatchKind]) throws -> [ClaimCandidate<PostgresRow>] {
        let entries = kinds.map { (number: $0.key, limit: Int64(round.room.remaining(for: $0.value))) }
            .filter { $0.limit > 0 }
        guard !entries.isEmpty else { return [] }
        let rows = try self.rows(
            Self.claimableQuery,
            [
                .number(round.lane.stored), .integer(round.now.millisecondsSince1970), .integers(entries.map(\.number)),
                .integers(entries.map(\.limit)),
                .number(round.room.suspects > 0 ? -1 : Interruptions.maximum - 1),
            ]
        )
        return ClaimCandidate.choose(from: try Self.candidates(rows, kinds: kinds), room: round.room)
    }

    /// Those of the oldest batches whose time is over; as ``claimable(_:kinds:)``, whatever room there is.
    func overdue(_ round: ClaimRound, kinds: [Int64: BatchKind]) throws -> [ClaimCandidate<PostgresRow>] {
        let found = try self.rows(
            Self.overdueQuery,
            [
                .number(round.lane.stored), .integer(round.now.millisecondsSince1970),
                .integers(kinds.keys.map(\.self)), .number(ClaimRound.patience),
            ]
        )
        // Others may have changed them since.
        let rows = try self.rows(
            """
            SELECT * FROM batches WHERE id = ANY($1::uuid[]) AND state < 3 AND claimable_at <= $2 AND expires_at <= $2
            FOR UPDATE SKIP LOCKED
            """,
            [
                .ids(try found.prefix(ClaimRound.patience).compactMap { APNsID(stored: try $0.blob("id")) }),
                .integer(round.now.millisecondsSince1970),
            ]
        )
        return try Self.candidates(rows, kinds: kinds)
    }

    private static func candidates(
        _ rows: [PostgresRow],
        kinds: [Int64: BatchKind]
    ) throws -> [ClaimCandidate<PostgresRow>] {
        try rows.map { row in
            guard let kind = kinds[try row.int64("kind")] else { throw StoreError.damaged("kind of a batch") }
            return ClaimCandidate(id: try row.blob("id"), row: row, kind: kind)
        }
    }

    /// Ends a batch whose row cannot be read, since it would keep all others of its kind from being claimed.
    ///
    /// Those of its targets that have no outcome count as failed, and its notification counts it off. How many targets it
    /// has follows from the notification where its own number cannot be.
    /// - Returns: how many targets had no outcome.
    func condemn(_ row: PostgresRow, _ ends: inout BatchEnds) throws -> Int {
        guard let id = APNsID(stored: try row.blob("id")) else { throw StoreError.damaged("batch") }
        try self.queue(
            """
            UPDATE batches SET target_count = greatest(1, least($2::bigint, coalesce(
                (SELECT target_count FROM notifications WHERE id = batches.notification) - (
                    SELECT coalesce(sum(greatest(0, least(others.target_count, $2::bigint))::integer), 0)
                    FROM batches AS others
                    WHERE others.notification = batches.notification AND others.id <> batches.id
                ), 1
            ))) WHERE id = $1 AND target_count NOT BETWEEN 1 AND $2::bigint
            """,
            [.id(id), .number(Batch.maximumTargets)]
        )
        let found = try self.row(
            """
            UPDATE batches SET state = $2, claimable_at = NULL, deferred = NULL, failure = $3,
                next_target = greatest(0, least(next_target, target_count)),
                delivered = greatest(0, least(delivered, target_count)), needs_relief = is_activity = 1
            WHERE id = $1
            RETURNING notification, target_count - delivered - (
                SELECT coalesce(sum(greatest(0, least(count, $4::bigint))::integer), 0) FROM batch_counts
                WHERE batch = batches.id
            ) AS remaining
            """,
            [
                .id(id), .number(BatchState.failedNumber), .text(FailureCode.corrupt.rawValue),
                .number(Batch.maximumTargets),
            ]
        )
        guard let found, let notification = APNsID(stored: try found.blob("notification")) else { return 0 }
        // Where the id itself is damaged, this is the one next to it, by which it is counted and signalled.
        let batch = BatchID.locate(id).batch
        let remaining = max(0, try found.number("remaining"))
        try self.add(OutcomeCounts(failed: [.corrupt: remaining]), toBatch: id)
        ends.add(batch, of: NotificationID(notification))
        return remaining
    }

    /// The numbers of the kinds of which a lane has batches that may be claimed, now or later: one step of the index for each, however many these are.
    private static let openKinds = """
        WITH RECURSIVE open (kind) AS (
            (SELECT kind FROM batches WHERE lane = $1 AND claimable_at IS NOT NULL ORDER BY kind LIMIT 1)
            UNION ALL
            SELECT (
                SELECT batches.kind FROM batches
                WHERE batches.lane = $1 AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
                ORDER BY batches.kind LIMIT 1
            ) FROM open WHERE open.kind IS NOT NULL
        )
        """

    /// The kinds of which a lane has batches that may be claimed, now or later; takes the lane.
    static let openKindsQuery = """
        \(PostgresConnection.openKinds)
        SELECT batch_kinds.number, batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM open
        JOIN batch_kinds ON batch_kinds.number = open.kind
        JOIN apps ON apps.number = batch_kinds.app
        """

    /// Takes the lane and the time.
    static let nextClaimQuery = """
        \(PostgresConnection.openKinds)
        SELECT min(waiting.claimable_at) AS claimable_at FROM open CROSS JOIN LATERAL (
            SELECT batches.claimable_at FROM batches
            WHERE batches.lane = $1 AND batches.kind = open.kind AND batches.state = 2 AND batches.claimable_at > $2
            ORDER BY batches.claimable_at LIMIT 1
        ) AS waiting
        """

    /// Takes the lane, the time, the numbers of kinds, how many batches of each, and a count of interruptions that is left out.
    static let claimableQuery = """
        SELECT found.* FROM unnest($3::bigint[], $4::bigint[]) AS wanted (kind, room)
        CROSS JOIN (VALUES (0), (1), (2)) AS states (state)
        CROSS JOIN LATERAL (
            SELECT * FROM batches
            WHERE batches.lane = $1 AND batches.kind = wanted.kind AND batches.state = states.state
                AND batches.claimable_at <= $2
                AND batches.interrupted + (CASE WHEN batches.state = 1 THEN 1 ELSE 0 END) <> $5
            ORDER BY batches.claimable_at, batches.id LIMIT wanted.room FOR UPDATE SKIP LOCKED
        ) AS found
        """

    /// Takes the lane, the time, the numbers of kinds and how many batches of each kind and state to look at.
    static let overdueQuery = """
        SELECT found.id FROM unnest($3::bigint[]) AS wanted (kind)
        CROSS JOIN (VALUES (0), (1), (2)) AS states (state)
        CROSS JOIN LATERAL (
            SELECT id, expires_at FROM batches
            WHERE batches.lane = $1 AND batches.kind = wanted.kind AND batches.state = states.state
                AND batches.claimable_at <= $2
            ORDER BY batches.claimable_at, batches.id LIMIT $4
        ) AS found
        WHERE found.expires_at <= $2
        """
}
