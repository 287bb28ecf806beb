// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore

extension PostgresStore: BatchStore {
    /// How far a notification has come; see `BatchStore`.
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
                batches: try Self.statuses(batches.rows, counts: counts.rows),
                isOpen: try row.number("is_open") != 0
            )
        }
    }

    private static func statuses(_ batches: [PostgresRow], counts: [PostgresRow]) throws -> [BatchStatus] {
        let counts = try Dictionary(grouping: counts) { try $0.blob("batch") }
        return try batches.map { row in
            let batch = try BatchRow(stored: row)
            var sum = OutcomeCounts(delivered: batch.delivered)
            for row in counts[batch.id.value.stored] ?? [] { try sum.add(stored: row) }
            return BatchStatus(id: batch.id, ordinal: batch.ordinal, lifecycle: batch.lifecycle, counts: sum)
        }
    }

    /// The targets of a notification that came to anything but `delivered`; see `BatchStore`.
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
                    apnsID: id.apnsID(at: try row.number("position")),
                    notification: notification,
                    target: try targets.target(of: row),
                    outcome: try Outcome(stored: row)
                )
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    /// What became of one notification to one target; see `BatchStore`.
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

    /// What is known of the targets of batches; see `BatchStore`.
    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        guard !batches.isEmpty else { return [:] }
        return try await self.readSnapshot { connection in
            let ids = PostgresValue.ids(batches.map(\.value))
            let rows = try connection.queue("SELECT * FROM batches WHERE id = ANY($1::uuid[])", [ids])
            let failures = try connection.queue("SELECT * FROM batch_failures WHERE batch = ANY($1::uuid[])", [ids])
            try connection.commit()
            let byBatch = try Dictionary(grouping: failures.rows) { try $0.blob("batch") }
            return try rows.rows.reduce(into: [:]) { found, row in
                let batch = try BatchRow(stored: row)
                let failures = try byBatch[batch.id.value.stored, default: []].map {
                    (try $0.number("position"), try Outcome(stored: $0))
                }
                found[batch.id] = BatchOutcomes(
                    lifecycle: batch.lifecycle,
                    failures: Dictionary(failures) { first, _ in first }
                )
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
