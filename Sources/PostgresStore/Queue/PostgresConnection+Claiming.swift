// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension PostgresConnection {
    /// The kinds of which a lane has batches that may be claimed, now or later, by their numbers.
    func openKinds(in lane: Lane) throws -> [Int64: BatchKind] {
        try self.rows(Self.openKindsQuery, [.number(lane.stored)]).reduce(into: [:]) { kinds, row in
            kinds[Int64(try row.number("number"))] = try BatchKind(stored: row)
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
            guard let kind = kinds[Int64(try row.number("kind"))] else { throw StoreError.damaged("kind of a batch") }
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
                    SELECT coalesce(sum(others.target_count), 0) FROM batches AS others
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
            RETURNING notification, target_count - delivered
                - (SELECT coalesce(sum(count), 0) FROM batch_counts WHERE batch = batches.id) AS remaining
            """,
            [.id(id), .number(BatchState.failedNumber), .text(FailureCode.damaged.rawValue)]
        )
        guard let found, let notification = APNsID(stored: try found.blob("notification")) else { return 0 }
        // Where the id itself is damaged, this is the one next to it, by which it is counted and signalled.
        let batch = BatchID.locate(id).batch
        let remaining = max(0, try found.number("remaining"))
        try self.add(OutcomeCounts(failed: [.damaged: remaining]), toBatch: id)
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

    /// Takes the lane, the time, the numbers of kinds and how many batches of each.
    static let claimableQuery = """
        SELECT found.* FROM unnest($3::bigint[], $4::bigint[]) AS wanted (kind, room)
        CROSS JOIN (VALUES (0), (1), (2)) AS states (state)
        CROSS JOIN LATERAL (
            SELECT * FROM batches
            WHERE batches.lane = $1 AND batches.kind = wanted.kind AND batches.state = states.state
                AND batches.claimable_at <= $2
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
