// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
public import PushModel
import PushStore

extension SQLiteStore {
    /// Stores a notification with its batches, all of it or nothing; see `BatchStore`.
    public func accept(_ notification: PushModel.Notification, batches: [Batch]) async throws {
        try notification.check(batches)
        // Encoded before the transaction, which others wait for.
        let contents = batches.map { (batch: $0, kind: $0.kind, targets: TargetList.encode($0.targets)) }
        try await self.write { database, changes in
            let app = try database.requiredNumber(of: notification.app)
            try database.run(
                "INSERT INTO notifications (id, app, created_at, target_count, batch_count) VALUES (?, ?, ?, ?, ?)",
                [
                    notification.id.value.blob, app, notification.createdAt.millisecondsSince1970,
                    notification.targetCount, notification.batchCount,
                ]
            )
            for content in contents {
                try database.insert(content.batch, kind: content.kind, targets: content.targets, app: app)
            }
            changes = Set(batches.map(\.lane)).map { .batchReady($0) }
        }
    }
}

extension Database {
    fileprivate func insert(_ batch: Batch, kind: BatchKind, targets: [UInt8], app: Int64) throws {
        let content = try self.insertContent(of: batch, targets: targets)
        try self.run(
            """
            INSERT INTO batches (id, notification, ordinal, app, lane, kind, state, claimable_at, next_target,
                target_count, delivered, setbacks, created_at, expires_at, content)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, ?, 0, 0, ?, ?, ?)
            """,
            [
                batch.id.value.blob, batch.notification.value.blob, batch.ordinal, app, batch.lane.stored,
                try self.number(of: kind, app: app), batch.targets.count, batch.createdAt.millisecondsSince1970,
                batch.expiresAt?.millisecondsSince1970,
                content,
            ]
        )
    }
}
