// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: BatchStore {
    /// How far a notification has come; see `BatchStore`.
    public func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.read { database in
            let row = try database.row(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app WHERE notifications.id = ?
                """,
                [id.value.stored]
            )
            // One that is removed for its age, piece by piece, has no number of batches any more.
            guard let row, try row.number("batch_count") >= 0 else { return nil }
            return NotificationStatus(
                notification: try PushModel.Notification(stored: row),
                batches: try database.batches(of: id).map { batch in
                    BatchStatus(
                        id: batch.id,
                        ordinal: batch.ordinal,
                        lifecycle: batch.lifecycle,
                        counts: try database.counts(of: batch)
                    )
                },
                isOpen: try row.number("is_open") != 0
            )
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
        return try await self.read { database in
            var outcomes: [TargetOutcome] = []
            for batch in try database.batches(of: notification) where outcomes.count <= limit {
                if let start, batch.id < start.batch { continue }
                let position = start.map { $0.batch == batch.id ? $0.index : -1 } ?? -1
                outcomes += try database.failures(of: batch, after: position, limit: limit + 1 - outcomes.count)
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    /// What became of one notification to one target; see `BatchStore`.
    public func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        let (id, index) = BatchID.locate(apnsID)
        return try await self.read { database in
            guard let batch = try database.batch(id), index < batch.lifecycle.targetCount else { return nil }
            let targets = try database.targets(of: batch)
            return TargetOutcome(
                apnsID: apnsID,
                notification: batch.notification,
                target: targets[index],
                outcome: try database.outcome(at: index, of: batch)
            )
        }
    }

    /// What is known of the targets of batches; see `BatchStore`.
    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        try await self.read { database in
            var found: [BatchID: BatchOutcomes] = [:]
            for id in batches {
                guard let batch = try database.batch(id) else { continue }
                let rows = try database.rows("SELECT * FROM batch_failures WHERE batch = ?", [id.value.stored])
                let failures = try rows.map { (try $0.number("position"), try Outcome(stored: $0)) }
                found[id] = BatchOutcomes(
                    lifecycle: batch.lifecycle,
                    failures: Dictionary(failures) { first, _ in first }
                )
            }
            return found
        }
    }
}

extension Database {
    fileprivate func outcome(at index: Int, of batch: BatchRow) throws -> Outcome? {
        guard batch.lifecycle.isSettled(index) else { return batch.lifecycle.remainder.map { .failed($0) } }
        let failure = try self.row(
            "SELECT * FROM batch_failures WHERE batch = ? AND position = ?",
            [batch.id.value.stored, index]
        )
        return try failure.map(Outcome.init(stored:)) ?? .delivered
    }

    func failures(of batch: BatchRow, after position: Int, limit: Int) throws -> [TargetOutcome] {
        let rows = try self.rows(
            "SELECT * FROM batch_failures WHERE batch = ? AND position > ? ORDER BY position LIMIT ?",
            [batch.id.value.stored, position, limit]
        )
        guard !rows.isEmpty else { return [] }
        let targets = try self.targets(of: batch)
        return try rows.map { row in
            let index = try row.number("position")
            guard targets.indices.contains(index) else { throw StoreError.damaged("targets of a batch") }
            return TargetOutcome(
                apnsID: batch.id.apnsID(at: index),
                notification: batch.notification,
                target: targets[index],
                outcome: try Outcome(stored: row)
            )
        }
    }
}
