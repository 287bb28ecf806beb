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
        try Self.check(notification, batches)
        // Encoded before the transaction, which others wait for.
        let contents = batches.map { (batch: $0, kind: $0.kind, targets: TargetList.encode($0.targets)) }
        try await self.write { database, changes in
            let app = try database.requiredNumber(of: notification.app)
            try database.run(
                """
                INSERT INTO notifications (id, app, created_at, target_count, batch_count, resend_of)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    notification.id.value.stored, app, notification.createdAt.millisecondsSince1970,
                    notification.targetCount, notification.batchCount, notification.resendOf?.value.stored,
                ]
            )
            for content in contents {
                try database.insert(content.batch, kind: content.kind, targets: content.targets, app: app)
            }
            changes = Set(batches.map(\.lane)).map { .batchReady($0) }
        }
    }

    private static func check(_ notification: PushModel.Notification, _ batches: [Batch]) throws {
        let isWhole =
            batches.count == notification.batchCount
            && batches.reduce(0) { $0 + $1.targets.count } == notification.targetCount
            && batches.allSatisfy { $0.notification == notification.id && $0.app == notification.app }
        guard isWhole else {
            throw StoreError(
                code: .invalid,
                message: "The batches are not those of notification \(notification.id). Make both with one plan."
            )
        }
        guard batches.allSatisfy({ (1...Batch.maximumTargets).contains($0.targets.count) }), !batches.isEmpty else {
            throw StoreError(
                code: .invalid,
                message: "A batch of notification \(notification.id) has no or more than \(Batch.maximumTargets) "
                    + "targets. Split it with a plan."
            )
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
                batch.id.value.stored, batch.notification.value.stored, batch.ordinal, app, batch.lane.stored,
                try self.number(of: kind, app: app), batch.targets.count, batch.createdAt.millisecondsSince1970,
                batch.expiresAt?.millisecondsSince1970,
                content,
            ]
        )
    }
}
