// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
public import PushModel
public import PushStore

extension SQLiteStore {
    /// Stores a notification with its batches, all of it or nothing; see `BatchStore`.
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try notification.check(batches)
        // Encoded before the transaction, which others wait for.
        let contents = batches.map { (batch: $0, kind: $0.kind, payload: Data($0.payload.encoded)) }
        try await self.write { database, changes in
            let app = try database.requiredNumber(of: notification.app)
            // First, since it decides whether this is a repetition.
            switch note {
            case .answer(let record): try database.insert(record, app: app)
            case .chunk(let chunk): try database.append(chunk, app: app)
            case nil: break
            }
            try database.run(
                """
                INSERT INTO notifications (id, app, created_at, target_count, batch_count, resend_of)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    notification.id.value.blob, app, notification.createdAt.millisecondsSince1970,
                    notification.targetCount, notification.batchCount, notification.resendOf?.value.blob,
                ]
            )
            for content in contents {
                let planned = PlannedBatch(batch: content.batch)
                try database.insert(planned, kind: content.kind, payload: content.payload, app: app)
            }
            changes = Set(batches.map(\.lane)).map { .batchReady($0) }
            try database.append(.accepted(notification, time: notification.createdAt), app: app, signalling: &changes)
        }
    }
}

extension Database {
    /// Adds a batch, with its payload as `BatchPayload` encodes it.
    func insert(_ planned: PlannedBatch, kind: BatchKind, payload: Data, app: Int64) throws {
        let batch = planned.batch
        let state = planned.lifecycle.state
        let content = try self.insertContent(of: batch, payload: payload)
        try self.run(
            """
            INSERT INTO batches (id, notification, ordinal, app, lane, kind, state, claimable_at, next_target,
                target_count, delivered, setbacks, failure, created_at, expires_at, content)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, 0, ?, ?, ?, ?)
            """,
            [
                batch.id.value.blob, batch.notification.value.blob, batch.ordinal, app, batch.lane.stored,
                try self.number(of: kind, app: app), state.number, state.claimableAt, batch.targets.count,
                state.failure, batch.createdAt.millisecondsSince1970,
                batch.expiresAt?.millisecondsSince1970,
                content,
            ]
        )
        if let code = planned.failure { try self.add(OutcomeCounts(failed: [code: batch.targets.count]), to: batch.id) }
    }
}
