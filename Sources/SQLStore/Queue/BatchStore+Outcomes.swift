// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    public func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.sql.snapshot { reader in
            let found = try reader.run("\(SQL.notifications) WHERE notifications.id = \(id.value)")
            let batches = try reader.run("SELECT * FROM batches WHERE notification = \(id.value) ORDER BY ordinal")
            let counts = try reader.run(SQL.batchCounts(of: id))
            try reader.commit()
            // A notification that is being removed, part by part, has no number of batches.
            guard let row = try found.rows.first, try row.number("batch_count") >= 0 else { return nil }
            return NotificationStatus(
                notification: try PushModel.Notification(stored: row),
                batches: try batches.rows.map(BatchRow.init(stored:)).statuses(counts: counts.rows),
                isOpen: try row.number("is_open") != 0
            )
        }
    }

    public func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor.map(BatchID.locate)
        let (batch, index) = (start?.batch.value ?? APNsID(high: 0, low: 0), start?.index ?? -1)
        return try await self.sql.snapshot { reader in
            // SQLite has an index of the batches by their ordinals, which have the order of the IDs.
            let failures: SQL = """
                SELECT batch_failures.* FROM batches
                \(SQL.orderedJoin) batch_failures ON batch_failures.batch = batches.id
                WHERE batches.notification = \(notification.value) AND batches.id >= \(batch)
                    AND (batch_failures.batch, batch_failures.position) > (\(batch), \(index))
                ORDER BY \(sqlite: "batches.ordinal", postgres: "batch_failures.batch"), batch_failures.position
                LIMIT \(limit + 1)
                """
            let rows = try reader.rows(FailedTargetReader.query(failures, in: reader.dialect))
            let targets = try FailedTargetReader(of: rows, on: reader)
            let outcomes = try rows.map { try targets.outcome(of: $0, notification: notification) }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    public func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor.map(BatchID.locate)
        return try await self.sql.snapshot { reader in
            // Most batches have neither failures nor targets without outcome, and are not looked at any further.
            let batches = try reader.rows(
                """
                SELECT * FROM batches
                WHERE notification = \(notification.value)
                    AND id >= \(start?.batch.value ?? APNsID(high: 0, low: 0))
                    AND (state IN (4, 5, 6) OR EXISTS (
                        SELECT 1 FROM batch_failures
                        WHERE batch_failures.batch = batches.id
                            AND (\(filter.reason) IS NULL OR name = \(filter.reason))
                    ))
                ORDER BY ordinal
                """
            ).map(BatchRow.init(stored:))
            var outcomes: [TargetOutcome] = []
            for batch in batches where outcomes.count <= limit {
                outcomes += try reader.deadLetters(
                    of: batch,
                    matching: filter,
                    after: start.map { $0.batch == batch.id ? $0.index : -1 } ?? -1,
                    limit: limit + 1 - outcomes.count
                )
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    public func unregisteredTargets(
        of app: AppID,
        before cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        let limit = PageLimit.clamp(limit)
        let before: SQL =
            cursor.map(BatchID.locate).map { start -> SQL in
                "(batch_failures.batch, batch_failures.position) < (\(start.batch.value), \(start.index))"
            } ?? "TRUE"
        return try await self.sql.snapshot { reader in
            let last = try reader.rows(
                """
                SELECT batch, position FROM batch_failures WHERE \(before)
                ORDER BY batch DESC, position DESC LIMIT 1 OFFSET 9999
                """
            ).first
            let end = try last.map { (batch: try $0.blob("batch"), position: try $0.clampedNumber("position")) }
            let window: SQL =
                end.map { end -> SQL in
                    let batch = SQLValue(key: end.batch)
                    return "(batch_failures.batch, batch_failures.position) >= (\(batch), \(end.position))"
                } ?? "TRUE"
            let failures: SQL = """
                SELECT batch_failures.*, batches.notification FROM batch_failures
                JOIN batches ON batches.id = batch_failures.batch
                WHERE \(before) AND \(window) AND batch_failures.kind = 1 AND batch_failures.status = 410
                    AND batches.app = \(SQL.number(of: app))
                ORDER BY batch_failures.batch DESC, batch_failures.position DESC LIMIT \(limit + 1)
                """
            let rows = try reader.rows(FailedTargetReader.query(failures, in: reader.dialect)).reversed()
            func apnsID(_ row: StoredRow) throws -> APNsID {
                try row.batchID("batch", of: "targets of a batch").apnsID(at: row.clampedNumber("position"))
            }
            let page = rows.prefix(limit)
            let next = try rows.count > limit ? page.last.map(apnsID) : last.map(apnsID)
            return Page(elements: try reader.unregisteredTargets(Array(page)), next: next)
        }
    }

    public func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        let (id, index) = BatchID.locate(apnsID)
        return try await self.sql.snapshot { reader in
            let batches = try reader.run("SELECT * FROM batches WHERE id = \(id.value)")
            let failures = try reader.run(
                "SELECT * FROM batch_failures WHERE batch = \(id.value) AND position = \(index)"
            )
            let key = id.value.stored
            let targets = try reader.targets(of: [key])
            guard let batch = try batches.rows.first.map(BatchRow.init(stored:)), index < batch.lifecycle.targetCount
            else { return nil }
            guard let targets = targets[key] else { throw StoreError.damaged("targets of a batch") }
            let known = try failures.rows.first.map { [index: try Outcome(stored: $0)] } ?? [:]
            let outcomes = BatchOutcomes(lifecycle: batch.lifecycle, failures: known)
            return batch.outcome(outcomes.outcome(at: index), at: index, of: targets)
        }
    }

    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        let ids = Set(batches).map(\.value)
        guard !ids.isEmpty else { return [:] }
        return try await self.sql.snapshot { reader in
            let rows = try reader.run("SELECT * FROM batches WHERE id \(each: ids)")
            let failures = try reader.run("SELECT * FROM batch_failures WHERE batch \(each: ids)")
            try reader.commit()
            let byBatch = try Dictionary(grouping: failures.rows) { try $0.blob("batch") }
            return try rows.rows.reduce(into: [:]) { found, row in
                // A corrupt batch has no outcomes.
                try row.readable(in: "batches") { row in
                    let batch = try BatchRow(stored: row)
                    let failures = try byBatch[batch.id.value.stored, default: []].map {
                        (try $0.number("position"), try Outcome(stored: $0))
                    }
                    let known = Dictionary(failures) { first, _ in first }
                    found[batch.id] = BatchOutcomes(lifecycle: batch.lifecycle, failures: known)
                }
            }
        }
    }

    public func batch(_ id: BatchID) async throws -> Batch? {
        try await self.sql.snapshot { reader in
            let batches = try reader.run(
                """
                SELECT batches.*, apps.id AS app_id FROM batches JOIN apps ON apps.number = batches.app
                WHERE batches.id = \(id.value)
                """
            )
            let contents = try reader.contents(of: [id])
            try reader.commit()
            guard let found = try batches.rows.first, let content = try contents.rows.first else { return nil }
            let row = try BatchRow(stored: found)
            return Batch(
                stored: row,
                app: try found.identifier("app_id"),
                content: try BatchContent(stored: content, targetCount: row.lifecycle.targetCount)
            )
        }
    }

    public func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.sql.list(
            """
            \(SQL.notifications) WHERE resend_of = \(notification.value)
            ORDER BY coalesce(resend_through, \(
                sqlite: "X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'", postgres: "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"
            ))
            """,
            in: "notifications"
        ) { try PushModel.Notification(stored: $0) }
    }

    public func openBatches(of app: AppID?) async throws -> [OpenBatchCount] {
        // The first columns of the index: the batches of other apps are not read.
        let ofApp: SQL =
            app.map { id -> SQL in
                "AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds WHERE app = \(SQL.number(of: id)))"
            } ?? ""
        // The index has all of this. The ID of a batch begins with the time of its acceptance.
        return try await self.sql.list(
            """
            SELECT found.lane, found.count, found.oldest, batch_kinds.environments, batch_kinds.push_type,
                apps.id AS app_id
            FROM (
                SELECT lane, kind, count(*) AS count,
                    \(sqlite: "min(id)", postgres: "min(id::text)::uuid") AS oldest
                FROM batches\(SQL.openIndex)
                WHERE claimable_at IS NOT NULL \(ofApp) GROUP BY lane, kind
            ) AS found
            JOIN batch_kinds ON batch_kinds.number = found.kind JOIN apps ON apps.number = batch_kinds.app
            """,
            in: "batch_kinds"
        ) { row in
            OpenBatchCount(
                lane: Lane(stored: try row.number("lane")),
                kind: try RoutingKey(stored: row),
                count: try row.number("count"),
                oldest: try row.batchID("oldest", of: "batch").createdAt
            )
        }
    }
}

extension SQLExecutor {
    /// Decodes failures batch by batch, so that a corrupt one hides no others, and few targets are in memory.
    fileprivate func unregisteredTargets(_ rows: [StoredRow]) throws -> [TargetOutcome] {
        var outcomes: [TargetOutcome] = []
        var start = 0
        while start < rows.count {
            let batch = try rows[start].blob("batch")
            let others = try rows[start...].firstIndex { try $0.blob("batch") != batch } ?? rows.count
            let found = try rows[start].readable(in: "batch_failures") { _ in
                let rows = Array(rows[start..<others])
                let targets = try FailedTargetReader(of: rows, on: self)
                return try rows.map { row in
                    let notification = NotificationID(try row.apnsID("notification", of: "batch"))
                    return try targets.outcome(of: row, notification: notification)
                }
            }
            outcomes += found ?? []
            start = others
        }
        return outcomes
    }

    fileprivate func deadLetters(
        of batch: BatchRow,
        matching filter: FailureFilter,
        after position: Int,
        limit: Int
    ) throws -> [TargetOutcome] {
        let failures: SQL = """
            SELECT * FROM batch_failures WHERE batch = \(batch.id.value) AND position > \(position)
                AND (\(filter.reason) IS NULL OR name = \(filter.reason))
            """
        let rows = try self.rows(FailedTargetReader.query(failures, in: self.dialect))
        let matching = Array(try rows.filter { filter.matches(try Outcome(stored: $0)) }.prefix(limit))
        let failed = try FailedTargetReader(of: matching, on: self)
        let own = try matching.map { try failed.outcome(of: $0, notification: batch.notification) }
        // Of a batch that is final, the targets without a row have the outcome of the batch.
        guard let code = batch.lifecycle.remainder, filter.matches(.failed(code)) else { return own }
        let left = ((position + 1)..<max(position + 1, batch.lifecycle.targetCount))
            .filter { !batch.lifecycle.isSettled($0) }
        guard !left.isEmpty else { return own }
        let targets = try self.targets(of: batch)
        let rest = left.map { batch.outcome(.failed(code), at: $0, of: targets) }
        return Array((own + rest).sorted { $0.apnsID < $1.apnsID }.prefix(limit))
    }
}

extension BatchRow {
    fileprivate func outcome(_ outcome: Outcome?, at index: Int, of targets: TargetList) -> TargetOutcome {
        TargetOutcome(
            apnsID: self.id.apnsID(at: index),
            notification: self.notification,
            target: targets[index],
            outcome: outcome
        )
    }
}

extension SQL {
    fileprivate static let notifications: SQL = """
        SELECT notifications.*, apps.id AS app_id FROM notifications JOIN apps ON apps.number = notifications.app
        """

    static func batchCounts(of notification: NotificationID) -> SQL {
        """
        SELECT batch_counts.* FROM batches \(SQL.orderedJoin) batch_counts ON batch_counts.batch = batches.id
        WHERE batches.notification = \(notification.value)
        """
    }
}

/// The targets of some failures, which PostgreSQL reads without the rest of their batches if possible.
struct FailedTargetReader {
    /// The bytes of a target with a token of the usual length; see ``PushModel/TargetList``.
    private static let usualSize = 34

    /// Reads failures with their targets; SQLite leaves these out, because it would read all targets for each.
    static func query(_ failures: SQL, in dialect: SQLDialect) -> SQL {
        switch dialect {
        case .sqlite: "SELECT failures.*, NULL AS target FROM (\(failures)) AS failures ORDER BY batch, position"
        case .postgres:
            """
            SELECT failures.*,
                CASE WHEN octet_length(batch_contents.targets) = 1 + 34 * batches.target_count::bigint
                        AND position >= 0 AND position < batches.target_count
                        AND substr(batch_contents.targets, 1, 1) = '\\x01'
                    THEN substr(batch_contents.targets, 2 + 34 * position, 34)
                END AS target
            FROM (\(failures)) AS failures
            JOIN batches ON batches.id = failures.batch
            LEFT JOIN batch_contents ON batch_contents.batch = failures.batch
            ORDER BY failures.batch, failures.position
            """
        }
    }

    private var lists: [[UInt8]: TargetList] = [:]

    init(of rows: [StoredRow], on reader: any SQLExecutor) throws {
        let whole = Set(try rows.filter { try Self.single($0) == nil }.map { try $0.blob("batch") })
        if !whole.isEmpty { self.lists = try reader.targets(of: whole) }
    }

    func outcome(of row: StoredRow, notification: NotificationID) throws -> TargetOutcome {
        let index = try row.number("position", in: 0...Batch.maximumTargets - 1)
        let id = try row.batchID("batch", of: "targets of a batch")
        let list = self.lists[id.value.stored]
        guard let target = try Self.single(row) ?? list.flatMap({ $0.indices.contains(index) ? $0[index] : nil }) else {
            throw StoreError.damaged("targets of a batch")
        }
        return TargetOutcome(
            apnsID: id.apnsID(at: index),
            notification: notification,
            target: target,
            outcome: try Outcome(stored: row)
        )
    }

    private static func single(_ row: StoredRow) throws -> Target? {
        guard let bytes = try row.bytes("target"), bytes.count == self.usualSize else { return nil }
        return (try? TargetList(encoded: [1] + bytes)).flatMap { $0.count == 1 ? $0.first : nil }
    }
}
