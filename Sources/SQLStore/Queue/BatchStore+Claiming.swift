// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore

/// Claims are transactions of a bounded size: each ends some of the expired batches. So completed work is kept,
/// regardless of the number of remaining batches, and other writers are not blocked for long.
extension BatchStore where Self: SQLBacked {
    public func claim(
        lane: Lane,
        room: ClaimLimits,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        // Rows keep milliseconds. By a finer time, a batch that is due by its index would not be due by its state.
        let now = now.keptToMilliseconds
        let until = now.lease(of: leaseDuration)
        var room = room
        room.total = PageLimit.clamp(room.total)
        var leases: [StoredLease] = []
        var claim = BatchClaim()
        var isComplete = false
        let logger = self.sql.driver.logger
        while !isComplete {
            do {
                let next = PartialClaim(lane: lane, worker: worker, until: until, now: now, logger: logger, room: room)
                let round = try await self.sql.write(in: lane, storedRow: { $0.storedLease }) { transaction in
                    var round = next
                    try round.run(in: transaction)
                    return round
                }
                room = round.room
                leases += round.leases
                claim.ended += round.ended
                isComplete = round.isComplete || Task.isCancelled
            } catch  where !leases.isEmpty {
                // Return the leased batches. The next claim meets the same error and reports it.
                isComplete = true
                claim.mayBeIncomplete = true
            }
        }
        try await self.load(leases, into: &claim, worker: worker, now: now)
        return claim
    }

    /// Reads the contents of leased batches outside of the transaction, because other writers wait for it.
    private func load(_ leases: [StoredLease], into claim: inout BatchClaim, worker: WorkerID, now: Date) async throws {
        guard !leases.isEmpty else { return }
        let contents: [Result<BatchContent, any Error>]
        do {
            contents = try await self.sql.read { try $0.contents(of: leases) }
        } catch {
            // Release the leases, so that other workers can claim these batches now.
            for lease in leases { _ = try? await self.release(lease.batch.id, worker: worker, now: now) }
            throw error
        }
        for (lease, content) in zip(leases, contents) {
            do {
                guard let batch = lease.claimed(try content.get(), by: worker) else { continue }
                claim.batches.append(batch)
            } catch {
                await self.leaveOut(lease.batch.id, of: &claim, worker: worker, error, now: now)
            }
        }
    }

    /// Ends a batch whose contents are corrupt; if that fails, it is claimed again after its lease expired.
    private func leaveOut(
        _ batch: BatchID,
        of claim: inout BatchClaim,
        worker: WorkerID,
        _ error: any Error,
        now: Date
    ) async {
        let logger = self.sql.driver.logger
        do {
            guard let failure = error as? StoreError, failure.code == .corrupt else { throw error }
            let remaining = try await self.close(batch, worker: worker, as: .corrupt, now: now)
            claim.ended.add(.failed(.corrupt), count: remaining)
            logger.error("Failed a corrupt batch", metadata: ["batch.id": "\(batch)", "error": "\(failure)"])
        } catch {
            claim.mayBeIncomplete = true
            logger.error(
                "Failed to end a corrupt batch; trying again",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}

extension PartialClaim {
    /// Finds a batch that the round leased; `nil` if it leased none.
    fileprivate var storedLease: SQL? {
        if self.leases.isEmpty { return nil }
        return """
            SELECT 1 FROM batches WHERE id \(each: self.leases.map(\.batch.id.value)) AND state = 1
                AND worker = \(self.worker) AND claimable_at = \(self.until)
            """
    }
}

extension SQLExecutor {
    fileprivate func contents(of leases: [StoredLease]) throws -> [Result<BatchContent, any Error>] {
        let rows = try self.contents(of: leases.map(\.batch.id)).rows
        let byBatch = Dictionary(rows.map { (try? $0.blob("batch"), $0) }) { first, _ in first }
        return leases.map { lease in
            Result {
                guard let row = byBatch[lease.batch.id.value.stored] else {
                    throw StoreError.damaged("content of a batch")
                }
                return try BatchContent(stored: row, targetCount: lease.batch.lifecycle.targetCount)
            }
        }
    }

    /// The routing keys with batches of a lane that may be claimed, now or later, by their numbers.
    func openKinds(in lane: Lane) throws -> [Int64: RoutingKey] {
        try self.rows(SQLStatement.openKinds([.number(lane.stored)])).reduce(into: [:]) { kinds, row in
            guard let kind = try row.readable(in: "batch_kinds", { try RoutingKey(stored: $0) }) else { return }
            kinds[try row.int64("number")] = kind
        }
    }

    /// Batches that a round may lease, the oldest first, at most as many as there is room for in all and of each kind.
    ///
    /// No other transaction changes them before this one ends. The batches that another one holds are left out.
    func claimable(_ round: PartialClaim, kinds: [Int64: RoutingKey]) throws -> [ClaimCandidate] {
        let entries = kinds.map { (number: $0.key, limit: round.room.remaining(for: $0.value)) }
            .filter { $0.limit > 0 }
        let (lane, now) = (SQLValue.number(round.lane.stored), SQLValue.time(round.now))
        let suspects = SQLValue.number(round.room.suspects > 0 ? -1 : Interruptions.maximum - 1)
        var rows: [StoredRow] = []
        switch self.dialect {
        case .sqlite:
            // A prepared statement for each part of the index costs less than a join with a list.
            for (number, limit) in entries {
                for state in 0...2 {
                    rows += try self.rows(
                        SQLStatement.claimableOnSQLite([
                            lane, .integer(number), .number(state), now, suspects, .number(limit),
                        ])
                    )
                }
            }
        case .postgres:
            guard !entries.isEmpty else { return [] }
            let (numbers, limits) = (entries.map(\.number), entries.map { Int64($0.limit) })
            rows = try self.rows(
                SQLStatement.claimableOnPostgres([lane, now, .integers(numbers), .integers(limits), suspects])
            )
        }
        // There may be too many, as many of each state.
        var room = round.room
        return try Self.candidates(rows, kinds: kinds).sorted { $0.id.lexicographicallyPrecedes($1.id) }
            .filter { room.take($0.kind, targets: $0.targets) }
    }

    /// The oldest expired batches on PostgreSQL; like ``claimable(_:kinds:)``, but without its limits.
    func overdue(_ round: PartialClaim, kinds: [Int64: RoutingKey]) throws -> [ClaimCandidate] {
        let found = try self.rows(
            SQLStatement.overdue([
                .number(round.lane.stored), .time(round.now), .integers(kinds.keys.map(\.self)),
                .number(PartialClaim.patience),
            ])
        )
        let ids = try found.prefix(PartialClaim.patience).compactMap { APNsID(stored: try $0.blob("id")) }
        // Others may have changed them since.
        let rows = try self.rows(
            """
            SELECT * FROM batches
            WHERE id \(each: ids) AND state < 3 AND claimable_at <= \(round.now) AND expires_at <= \(round.now)
            FOR UPDATE SKIP LOCKED
            """
        )
        return try Self.candidates(rows, kinds: kinds)
    }

    private static func candidates(_ rows: [StoredRow], kinds: [Int64: RoutingKey]) throws -> [ClaimCandidate] {
        try rows.map { row in
            guard let kind = kinds[try row.int64("kind")] else { throw StoreError.damaged("kind of a batch") }
            let targets = (try? row.number("target_count")) ?? .max
            return ClaimCandidate(id: try row.blob("id"), row: row, kind: kind, targets: targets)
        }
    }
}

extension SQLTransaction {
    /// Ends a batch whose row cannot be decoded, because it would keep all others of its kind from being claimed.
    ///
    /// Its targets without outcome count as failed, and its notification counts it off. If the number of its targets is
    /// corrupt, it follows from the notification.
    /// - Returns: the number of its targets without outcome.
    func condemn(key bytes: [UInt8], now: Date) throws -> Int {
        let (key, limit) = (SQLValue(key: bytes), Batch.maximumTargets)
        try self.run(
            """
            UPDATE batches SET target_count = \(SQL.greatest)(1, \(SQL.least)(\(limit), coalesce(
                (SELECT target_count FROM notifications WHERE id = batches.notification) - (
                    SELECT coalesce(sum(\(SQL.clamped("others.target_count"))), 0) FROM batches AS others
                    WHERE others.notification = batches.notification AND others.id <> batches.id
                ), 1
            ))) WHERE id = \(key) AND target_count NOT BETWEEN 1 AND \(limit)
            """
        )
        let found = try self.first(
            """
            UPDATE batches SET state = \(BatchState.failedNumber), claimable_at = NULL, deferred = NULL,
                failure = \(FailureCode.corrupt.rawValue)\(postgres: ", needs_relief = is_activity = 1"),
                next_target = \(SQL.greatest)(0, \(SQL.least)(next_target, target_count)),
                delivered = \(SQL.greatest)(0, \(SQL.least)(delivered, target_count))
            WHERE id = \(key)
            RETURNING *, CAST(target_count - delivered - (
                SELECT coalesce(sum(\(SQL.clamped("count"))), 0) FROM batch_counts WHERE batch = batches.id
            ) AS bigint) AS remaining
            """
        )
        guard let found, let notification = APNsID(stored: try found.blob("notification")) else { return 0 }
        let remaining = max(0, try found.number("remaining"))
        try self.add(OutcomeCounts(failed: [.corrupt: remaining]), toKey: key)
        if self.dialect == .sqlite, let batch = try? BatchRow(stored: found) {
            try self.updateActivities(waitingFor: batch, now: now)
        }
        // If the ID is corrupt, this is the one next to it.
        let batch = APNsID(stored: bytes).map { BatchID.locate($0).batch }
        self.end(batch, of: NotificationID(notification), now: now)
        return remaining
    }
}

extension SQL {
    static let greatest: SQL = "\(sqlite: "max", postgres: "greatest")"
    static let least: SQL = "\(sqlite: "min", postgres: "least")"

    static let openIndex: SQL = "\(sqlite: " INDEXED BY batches_open")"

    /// The routing keys with claimable batches of a lane, `$1`, now or later, with one step of the index for each.
    fileprivate static let openKinds: SQL = """
        WITH RECURSIVE open (kind) AS (
            SELECT (
                SELECT kind FROM batches\(SQL.openIndex) WHERE lane = $1 AND claimable_at IS NOT NULL
                ORDER BY kind LIMIT 1
            )
            UNION ALL
            SELECT (
                SELECT batches.kind FROM batches\(SQL.openIndex)
                WHERE batches.lane = $1 AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
                ORDER BY batches.kind LIMIT 1
            ) FROM open WHERE open.kind IS NOT NULL
        )
        """
}

extension SQLStatement {
    static let openKinds = SQLStatement(
        """
        \(SQL.openKinds)
        SELECT batch_kinds.number, batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM open
        \(SQL.orderedJoin) batch_kinds ON batch_kinds.number = open.kind
        \(SQL.orderedJoin) apps ON apps.number = batch_kinds.app
        """
    )

    /// Takes the lane and the time.
    static let nextClaim = SQLStatement(
        """
        \(SQL.openKinds)
        SELECT min((
            SELECT batches.claimable_at FROM batches\(SQL.openIndex)
            WHERE batches.lane = $1 AND batches.kind = open.kind AND batches.state = 2 AND batches.claimable_at > $2
            ORDER BY batches.claimable_at LIMIT 1
        )) AS claimable_at FROM open
        """
    )

    /// Takes the lane, the number of a kind, the state, the time, a number of interruptions that is left out, and the
    /// number of batches.
    static let claimableOnSQLite = SQLStatement(
        """
        SELECT * FROM batches\(SQL.openIndex)
        WHERE lane = $1 AND kind = $2 AND state = $3 AND claimable_at <= $4
            AND interrupted + (CASE WHEN state = 1 THEN 1 ELSE 0 END) <> $5
        ORDER BY claimable_at, id LIMIT $6
        """
    )

    /// Takes the lane, the time, the numbers of kinds, the number of batches of each, and a number of interruptions
    /// that is left out.
    static let claimableOnPostgres = SQLStatement(
        """
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
    )

    /// Takes the lane, the time, the numbers of kinds, and how many batches of each kind and state to look at.
    static let overdue = SQLStatement(
        """
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
    )
}
