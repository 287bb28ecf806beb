// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore {
    /// The targets of a notification that came to anything but `delivered` for whatever reason; see `BatchStore`.
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

    /// A batch as it was accepted; see `BatchStore`.
    public func batch(_ id: BatchID) async throws -> Batch? {
        try await self.read { database in
            guard let row = try database.batch(id), let content = try database.content(of: row) else { return nil }
            return Batch(stored: row, app: try database.id(ofApp: row.app), content: content)
        }
    }

    /// The notification that sends the failed targets of another one again; see `BatchStore`.
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

    /// All notifications that send the failed targets of another one again; see `BatchStore`.
    public func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.read { database in
            try database.rows(
                """
                SELECT notifications.*, apps.id AS app_id FROM notifications
                JOIN apps ON apps.number = notifications.app
                WHERE resend_of = ? ORDER BY COALESCE(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF')
                """,
                [notification.value.stored]
            ).map { try PushModel.Notification(stored: $0) }
        }
    }

    /// How many batches are not final; see `BatchStore`.
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
