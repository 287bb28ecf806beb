// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: BatchStore {
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
                batches: try database.statuses(of: id),
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

    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        try await self.read { database in
            var found: [BatchID: BatchOutcomes] = [:]
            for id in batches {
                // For one that is damaged there are no outcomes.
                found[id] = try readable(id, in: "batches") { try database.outcomes(of: id) } ?? nil
            }
            return found
        }
    }
}

extension Database {
    fileprivate func outcomes(of id: BatchID) throws -> BatchOutcomes? {
        guard let batch = try self.batch(id) else { return nil }
        let rows = try self.rows("SELECT * FROM batch_failures WHERE batch = ?", [id.value.stored])
        let failures = try rows.map { (try $0.number("position"), try Outcome(stored: $0)) }
        return BatchOutcomes(lifecycle: batch.lifecycle, failures: Dictionary(failures) { first, _ in first })
    }

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

extension SQLiteStore {
    public func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
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
                outcomes += try batch.deadLetters(
                    matching: filter,
                    own: database.failures(of: batch, after: position, limit: Batch.maximumTargets),
                    after: position,
                    limit: limit + 1 - outcomes.count
                ) { try database.targets(of: batch) }
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    public func batch(_ id: BatchID) async throws -> Batch? {
        try await self.read { database in
            guard let row = try database.batch(id), let content = try database.content(of: row) else { return nil }
            return Batch(stored: row, app: try database.id(ofApp: row.app), content: content)
        }
    }

    public func resend(of notification: NotificationID) async throws -> PushModel.Notification? {
        try await self.read { database in
            try database.row(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app
                WHERE resend_of = ? ORDER BY COALESCE(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF') DESC LIMIT 1
                """,
                [notification.value.stored]
            ).map { try PushModel.Notification(stored: $0) }
        }
    }

    public func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.read { database in
            try database.rows(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app
                WHERE resend_of = ? ORDER BY COALESCE(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF')
                """,
                [notification.value.stored]
            ).mapReadable(in: "notifications") { try PushModel.Notification(stored: $0) }
        }
    }

    public func openBatches(of app: AppID?) async throws -> [OpenBatches] {
        try await self.read { database in
            try Lane.allCases.flatMap { lane in
                try database.openKinds(in: lane).compactMap { number, kind in
                    guard app == nil || kind.app == app else { return nil }
                    // The index has all of this; the id of a batch begins with the time of its acceptance.
                    let row = try database.row(
                        """
                        SELECT COUNT(*) AS count, MIN(id) AS oldest FROM batches INDEXED BY batches_open
                        WHERE lane = ? AND kind = ? AND claimable_at IS NOT NULL
                        """,
                        [lane.stored, number]
                    )
                    let oldest = try row?.bytes("oldest").flatMap(APNsID.init(stored:)).flatMap(BatchID.init)
                    guard let row, let oldest else { return nil }
                    return OpenBatches(
                        lane: lane,
                        kind: kind,
                        count: try row.number("count"),
                        oldest: oldest.createdAt
                    )
                }
            }
        }
    }
}
