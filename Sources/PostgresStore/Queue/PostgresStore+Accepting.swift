// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore {
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try notification.check(batches)
        // Encoded before the transaction, which keeps a connection and a lock.
        let contents = batches.map { BatchDraft(PlannedBatch(batch: $0)) }
        let id = notification.id.value
        try await self.write(
            isStored: { connection, _ in
                try connection.row("SELECT 1 FROM notifications WHERE id = $1", [.id(id)]) != nil
            }
        ) { connection, changes in
            let app = try connection.lockedNumber(of: notification.app)
            // First, since it decides whether this is a repetition.
            switch note {
            case .answer(let record): try connection.insert(record, app: app)
            case .chunk(let chunk): try connection.append(chunk, app: app)
            case .endpoint, nil: break
            }
            try connection.insert(notification, app: app)
            if case .endpoint(let publication) = note { try connection.insert(publication, of: notification.id) }
            for content in contents { try connection.insertContent(of: content) }
            try connection.insert(contents, app: app)
            var news = FeedNews()
            news.add(.accepted(notification, time: notification.createdAt), app: app)
            changes = try Set(batches.map(\.lane)).map { .batchReady($0) } + connection.append(news)
        }
    }
}

/// A batch that is to be stored, with the values that take time to make.
struct BatchDraft: Sendable {
    fileprivate let planned: PlannedBatch
    fileprivate let kind: BatchKind
    fileprivate let payload: [UInt8]
    fileprivate let isActivity: Bool

    init(_ planned: PlannedBatch, isActivity: Bool = false) {
        self.planned = planned
        self.kind = planned.batch.kind
        self.payload = planned.batch.payload.encoded
        self.isActivity = isActivity
    }
}

extension PostgresConnection {
    /// Queues that a notification is stored without its batches.
    func insert(_ notification: PushModel.Notification, app: Int64) throws {
        try self.queue(
            """
            INSERT INTO notifications
                (id, app, created_at, target_count, batch_count, open_batches, is_open, resend_of, resend_through)
            VALUES ($1, $2, $3, $4, $5, $5, false, $6, $7)
            """,
            [
                .id(notification.id.value), .integer(app), .integer(notification.createdAt.millisecondsSince1970),
                .number(notification.targetCount), .number(notification.batchCount), .id(notification.resendOf?.value),
                .id(notification.resendThrough),
            ]
        )
    }

    /// Queues that batches are stored, without their contents.
    func insert(_ drafts: [BatchDraft], app: Int64) throws {
        for kind in Set(drafts.map(\.kind)) { try self.add(kind, app: app) }
        for draft in drafts {
            try self.insert(draft.planned, kind: draft.kind, isActivity: draft.isActivity, app: app)
            guard let code = draft.planned.failure else { continue }
            try self.add(OutcomeCounts(failed: [code: draft.planned.batch.targets.count]), to: draft.planned.batch.id)
        }
    }

    /// Queues that a kind of batches is there; most often it is, and then no number is used up.
    private func add(_ kind: BatchKind, app: Int64) throws {
        try self.queue(
            """
            INSERT INTO batch_kinds (app, environments, push_type) SELECT $1, $2, $3
            WHERE NOT EXISTS (SELECT FROM batch_kinds WHERE app = $1 AND environments = $2 AND push_type = $3)
            ON CONFLICT DO NOTHING
            """,
            [.integer(app), .number(kind.environments.stored), .text(kind.pushType.rawValue)]
        )
    }

    private func insert(_ planned: PlannedBatch, kind: BatchKind, isActivity: Bool, app: Int64) throws {
        let batch = planned.batch
        let state = planned.lifecycle.state
        try self.queue(
            """
            INSERT INTO batches (id, notification, ordinal, app, lane, kind, state, claimable_at, failure, next_target,
                target_count, delivered, setbacks, created_at, expires_at, is_activity)
            SELECT $1, $2, $3, $4, $5, number, $8, $9, $10, 0, $11, 0, 0, $12, $13, $14 FROM batch_kinds
            WHERE app = $4 AND environments = $6 AND push_type = $7
            """,
            [
                .id(batch.id.value), .id(batch.notification.value), .number(batch.ordinal), .integer(app),
                .number(batch.lane.stored), .number(kind.environments.stored), .text(kind.pushType.rawValue),
                .number(state.number), .integer(state.claimableAt), .text(state.failure),
                .number(batch.targets.count), .integer(batch.createdAt.millisecondsSince1970),
                .integer(batch.expiresAt?.millisecondsSince1970), .number(isActivity ? 1 : 0),
            ]
        )
    }

    /// Queues that the contents of a batch are stored; contents that were stored before stay as they are.
    func insertContent(of draft: BatchDraft) throws {
        let batch = draft.planned.batch
        try self.queue(
            """
            INSERT INTO batch_contents (batch, topic, push_type, priority, expiration, collapse_id, payload, targets)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
            """,
            [
                .id(batch.id.value), .text(batch.headers.topic.rawValue), .text(batch.headers.pushType.rawValue),
                .number(batch.headers.priority?.rawValue), .integer(batch.headers.expiration?.rawValue),
                .text(batch.headers.collapseID?.rawValue), .bytes(draft.payload), .bytes(batch.targets.encoded),
            ]
        )
    }
}
