// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
import PushStore

extension PostgresStore {
    /// Stores a notification with its batches, all of it or nothing; see `BatchStore`.
    public func accept(_ notification: PushModel.Notification, batches: [Batch]) async throws {
        try notification.check(batches)
        // Encoded before the transaction, which keeps a connection and a lock.
        let contents = batches.map { (batch: $0, kind: $0.kind, targets: TargetList.encode($0.targets)) }
        try await self.write { connection, changes in
            let app = try connection.lockedNumber(of: notification.app)
            try connection.queue(
                """
                INSERT INTO notifications (id, app, created_at, target_count, batch_count, open_batches)
                VALUES ($1, $2, $3, $4, $5, $5)
                """,
                [
                    .id(notification.id.value), .integer(app), .integer(notification.createdAt.millisecondsSince1970),
                    .number(notification.targetCount), .number(notification.batchCount),
                ]
            )
            for kind in Set(contents.map(\.kind)) { try connection.add(kind, app: app) }
            for content in contents {
                try connection.insertContent(of: content.batch, targets: content.targets)
                try connection.insert(content.batch, kind: content.kind, app: app)
            }
            changes = Set(batches.map(\.lane)).map { .batchReady($0) }
        }
    }
}

extension PostgresConnection {
    /// Queues that a kind of batches is there; most often it is, and then no number is used up.
    fileprivate func add(_ kind: BatchKind, app: Int64) throws {
        try self.queue(
            """
            INSERT INTO batch_kinds (app, environments, push_type) SELECT $1, $2, $3
            WHERE NOT EXISTS (SELECT FROM batch_kinds WHERE app = $1 AND environments = $2 AND push_type = $3)
            ON CONFLICT DO NOTHING
            """,
            [.integer(app), .number(kind.environments.stored), .text(kind.pushType.rawValue)]
        )
    }

    fileprivate func insert(_ batch: Batch, kind: BatchKind, app: Int64) throws {
        try self.queue(
            """
            INSERT INTO batches (id, notification, ordinal, app, lane, kind, state, claimable_at, next_target,
                target_count, delivered, setbacks, created_at, expires_at)
            SELECT $1, $2, $3, $4, $5, number, 0, 0, 0, $8, 0, 0, $9, $10 FROM batch_kinds
            WHERE app = $4 AND environments = $6 AND push_type = $7
            """,
            [
                .id(batch.id.value), .id(batch.notification.value), .number(batch.ordinal), .integer(app),
                .number(batch.lane.stored), .number(kind.environments.stored), .text(kind.pushType.rawValue),
                .number(batch.targets.count), .integer(batch.createdAt.millisecondsSince1970),
                .integer(batch.expiresAt?.millisecondsSince1970),
            ]
        )
    }

    fileprivate func insertContent(of batch: Batch, targets: [UInt8]) throws {
        try self.queue(
            """
            INSERT INTO batch_contents (batch, topic, push_type, priority, expiration, collapse_id, payload, targets)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .id(batch.id.value), .text(batch.headers.topic.rawValue), .text(batch.headers.pushType.rawValue),
                .number(batch.headers.priority?.rawValue), .integer(batch.headers.expiration?.rawValue),
                .text(batch.headers.collapseID?.rawValue), .bytes(batch.payload.bytes), .bytes(targets),
            ]
        )
    }
}
