// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore

extension PostgresStore: BatchStore {
    public func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.readSnapshot { connection in
            let notifications = try connection.queue(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app WHERE notifications.id = $1
                """,
                [.id(id.value)]
            )
            let batches = try connection.queue(
                "SELECT * FROM batches WHERE notification = $1 ORDER BY ordinal",
                [.id(id.value)]
            )
            let counts = try connection.queue(
                """
                SELECT batch_counts.* FROM batch_counts JOIN batches ON batches.id = batch_counts.batch
                WHERE batches.notification = $1
                """,
                [.id(id.value)]
            )
            try connection.commit()
            guard let row = notifications.rows.first else { return nil }
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
        return try await self.readSnapshot { connection in
            let rows = try connection.rows(
                """
                SELECT failures.*, \(FailedTargets.column) FROM (
                    SELECT batch_failures.* FROM batch_failures JOIN batches ON batches.id = batch_failures.batch
                    WHERE batches.notification = $1 AND (batch_failures.batch, batch_failures.position) > ($2, $3)
                    ORDER BY batch_failures.batch, batch_failures.position LIMIT $4
                ) AS failures
                JOIN batches ON batches.id = failures.batch
                LEFT JOIN batch_contents ON batch_contents.batch = failures.batch
                ORDER BY failures.batch, failures.position
                """,
                [
                    .id(notification.value), .id(start?.batch.value ?? APNsID(high: 0, low: 0)),
                    .number(start?.index ?? -1), .number(limit + 1),
                ]
            )
            let targets = try FailedTargets(of: rows, on: connection)
            let outcomes = try rows.map { row in
                guard let id = APNsID(stored: try row.blob("batch")).flatMap(BatchID.init) else {
                    throw StoreError.damaged("targets of a batch")
                }
                return TargetOutcome(
                    apnsID: id.apnsID(at: try row.number("position", in: 0...Batch.maximumTargets - 1)),
                    notification: notification,
                    target: try targets.target(of: row),
                    outcome: try Outcome(stored: row)
                )
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    public func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        let (id, index) = BatchID.locate(apnsID)
        return try await self.readSnapshot { connection in
            let batches = try connection.queue("SELECT * FROM batches WHERE id = $1", [.id(id.value)])
            let failures = try connection.queue(
                "SELECT * FROM batch_failures WHERE batch = $1 AND position = $2",
                [.id(id.value), .number(index)]
            )
            let targets = try connection.targets(ofBatches: [id.value.stored])
            guard
                let batch = try batches.rows.first.map(BatchRow.init(stored:)),
                index < batch.lifecycle.targetCount
            else { return nil }
            guard let targets = targets[id.value.stored] else { throw StoreError.damaged("targets of a batch") }
            let outcome: Outcome? =
                if batch.lifecycle.isSettled(index) {
                    try failures.rows.first.map(Outcome.init(stored:)) ?? .delivered
                } else {
                    batch.lifecycle.remainder.map { .failed($0) }
                }
            return TargetOutcome(
                apnsID: apnsID,
                notification: batch.notification,
                target: targets[index],
                outcome: outcome
            )
        }
    }

    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        guard !batches.isEmpty else { return [:] }
        return try await self.readSnapshot { connection in
            let ids = PostgresValue.ids(batches.map(\.value))
            let rows = try connection.queue("SELECT * FROM batches WHERE id = ANY($1::uuid[])", [ids])
            let failures = try connection.queue("SELECT * FROM batch_failures WHERE batch = ANY($1::uuid[])", [ids])
            try connection.commit()
            let byBatch = try Dictionary(grouping: failures.rows) { try $0.blob("batch") }
            return try rows.rows.reduce(into: [:]) { found, row in
                // For one that is damaged there are no outcomes.
                let outcomes = try row.readable(in: "batches") { row in
                    let batch = try BatchRow(stored: row)
                    let failures = try byBatch[batch.id.value.stored, default: []].map {
                        (try $0.number("position"), try Outcome(stored: $0))
                    }
                    return (
                        batch.id,
                        BatchOutcomes(lifecycle: batch.lifecycle, failures: Dictionary(failures) { first, _ in first })
                    )
                }
                if let (id, outcomes) = outcomes { found[id] = outcomes }
            }
        }
    }
}

extension PostgresConnection {
    /// The targets of batches, by the bytes of the batches' ids.
    func targets(ofBatches ids: Set<[UInt8]>) throws -> [[UInt8]: TargetList] {
        let rows = try self.rows(
            """
            SELECT batch, targets, target_count FROM batch_contents JOIN batches ON batches.id = batch_contents.batch
            WHERE batch = ANY($1::uuid[])
            """,
            [.ids(ids.compactMap(APNsID.init(stored:)))]
        )
        return try rows.reduce(into: [:]) { targets, row in
            targets[try row.blob("batch")] = try BatchContent.targets(stored: row, count: row.number("target_count"))
        }
    }
}

extension PostgresStore {
    public func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor.map(BatchID.locate)
        return try await self.readSnapshot { connection in
            // Most batches have neither failures nor targets that they left: these are not looked at any further.
            let batches = try connection.rows(
                """
                SELECT * FROM batches WHERE notification = $1 AND id >= $2 AND (
                    state IN (4, 5, 6) OR EXISTS (
                        SELECT FROM batch_failures
                        WHERE batch_failures.batch = batches.id AND ($3::text IS NULL OR name = $3)
                    )
                ) ORDER BY ordinal
                """,
                [
                    .id(notification.value), .id(start?.batch.value ?? APNsID(high: 0, low: 0)), .text(filter.reason),
                ]
            ).map(BatchRow.init(stored:))
            var outcomes: [TargetOutcome] = []
            for batch in batches where outcomes.count <= limit {
                let position = start.map { $0.batch == batch.id ? $0.index : -1 } ?? -1
                outcomes += try connection.deadLetters(
                    of: batch,
                    matching: filter,
                    after: position,
                    limit: limit + 1 - outcomes.count
                )
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    public func batch(_ id: BatchID) async throws -> Batch? {
        try await self.readSnapshot { connection in
            let batches = try connection.queue(
                """
                SELECT batches.*, apps.id AS app_id FROM batches JOIN apps ON apps.number = batches.app
                WHERE batches.id = $1
                """,
                [.id(id.value)]
            )
            let contents = try connection.queue("SELECT * FROM batch_contents WHERE batch = $1", [.id(id.value)])
            try connection.commit()
            guard let found = batches.rows.first, let content = contents.rows.first else { return nil }
            let row = try BatchRow(stored: found)
            return Batch(
                stored: row,
                app: try found.identifier("app_id"),
                content: try BatchContent(stored: content, targetCount: row.lifecycle.targetCount)
            )
        }
    }

    public func resend(of notification: NotificationID) async throws -> PushModel.Notification? {
        try await self.read { connection in
            try connection.row(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app
                WHERE resend_of = $1
                ORDER BY COALESCE(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) DESC LIMIT 1
                """,
                [.id(notification.value)]
            ).map { try PushModel.Notification(stored: $0) }
        }
    }

    public func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.read { connection in
            try connection.rows(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app
                WHERE resend_of = $1
                ORDER BY COALESCE(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                """,
                [.id(notification.value)]
            ).mapReadable(in: "notifications") { try PushModel.Notification(stored: $0) }
        }
    }

    public func openBatches(of app: AppID?) async throws -> [OpenBatches] {
        try await self.read { connection in
            // The index has all of this; the id of a batch begins with the time of its acceptance.
            try connection.rows(
                """
                SELECT found.lane, found.count, found.oldest, batch_kinds.environments, batch_kinds.push_type,
                    apps.id AS app_id
                FROM (
                    SELECT lane, kind, count(*) AS count, min(id::text)::uuid AS oldest FROM batches
                    WHERE claimable_at IS NOT NULL GROUP BY lane, kind
                ) AS found
                JOIN batch_kinds ON batch_kinds.number = found.kind JOIN apps ON apps.number = batch_kinds.app
                WHERE $1::text IS NULL OR apps.id = $1
                """,
                [.text(app?.rawValue)]
            ).mapReadable(in: "batch_kinds") { row in
                guard let oldest = APNsID(stored: try row.blob("oldest")).flatMap(BatchID.init) else {
                    throw StoreError.damaged("batch")
                }
                return OpenBatches(
                    lane: Lane(stored: try row.number("lane")),
                    kind: try BatchKind(stored: row),
                    count: try row.number("count"),
                    oldest: oldest.createdAt
                )
            }
        }
    }
}

extension PostgresConnection {
    /// The failures of a batch behind a position that match, in the order of the targets.
    fileprivate func deadLetters(
        of batch: BatchRow,
        matching filter: FailureFilter,
        after position: Int,
        limit: Int
    ) throws -> [TargetOutcome] {
        let rows = try self.rows(
            """
            SELECT batch_failures.*, \(FailedTargets.column) FROM batch_failures
            JOIN batches ON batches.id = batch_failures.batch
            LEFT JOIN batch_contents ON batch_contents.batch = batch_failures.batch
            WHERE batch_failures.batch = $1 AND position > $2 AND ($3::text IS NULL OR name = $3) ORDER BY position
            """,
            [.id(batch.id.value), .number(position), .text(filter.reason)]
        )
        let matching = Array(try rows.filter { filter.matches(try Outcome(stored: $0)) }.prefix(limit))
        let targets = try FailedTargets(of: matching, on: self)
        let own = try matching.map { row in
            TargetOutcome(
                apnsID: batch.id.apnsID(at: try row.number("position", in: 0...Batch.maximumTargets - 1)),
                notification: batch.notification,
                target: try targets.target(of: row),
                outcome: try Outcome(stored: row)
            )
        }
        return try batch.deadLetters(matching: filter, own: own, after: position, limit: limit) {
            let found = try self.targets(ofBatches: [batch.id.value.stored])
            guard let targets = found[batch.id.value.stored] else { throw StoreError.damaged("targets of a batch") }
            return targets
        }
    }
}
