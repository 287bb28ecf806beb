// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite
import Synchronization

extension SQLiteStore {
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try notification.check(batches)
        // Encoded before the transaction, which others wait for.
        let contents = batches.map { (batch: $0, kind: $0.kind, payload: $0.payload.encoded) }
        let lane: Lane = batches.contains { $0.lane == .urgent } ? .urgent : .bulk
        let handOver = self.handOvers.offer(batches, now: notification.createdAt)
        let claims: [BatchID: ClaimedBatch]
        do {
            claims = try await self.write(in: lane) { database, changes in
                // Not before the transaction has its turn, for which it may have waited long.
                let claims = handOver.lease()
                try database.accept(notification, contents, claims, noting: note, signalling: &changes)
                return claims
            }
        } catch {
            handOver.withdraw()
            throw error
        }
        handOver.complete(claims)
    }

    public func beginHandOver(to taker: any BatchTaker) {
        self.handOvers.add(taker)
    }

    public func endHandOver(to taker: any BatchTaker) {
        self.handOvers.remove(taker)
    }
}

extension Database {
    typealias EncodedBatch = (batch: Batch, kind: BatchKind, payload: [UInt8])

    /// Adds a notification, with what is stored together with it, and leases what is handed over.
    func accept(
        _ notification: PushModel.Notification,
        _ contents: [EncodedBatch],
        _ claims: [BatchID: ClaimedBatch],
        noting note: AcceptanceNote?,
        signalling changes: inout [StoreChange]
    ) throws {
        let app = try self.requiredNumber(of: notification.app)
        // First, since it decides whether this is a repetition.
        switch note {
        case .answer(let record): try self.insert(record, app: app)
        case .chunk(let chunk): try self.append(chunk, app: app)
        case .endpoint, nil: break
        }
        try self.insert(notification, app: app)
        if case .endpoint(let publication) = note { try self.insert(publication, of: notification.id) }
        for content in contents {
            try self.insert(
                PlannedBatch(batch: content.batch),
                claimed: claims[content.batch.id],
                kind: content.kind,
                payload: content.payload,
                app: app
            )
        }
        let waiting = contents.filter { claims[$0.batch.id] == nil }
        changes += Set(waiting.map(\.batch.lane)).map { .batchReady($0) }
        try self.append(.accepted(notification, time: notification.createdAt), app: app, signalling: &changes)
    }

    /// Adds a notification without its batches.
    func insert(_ notification: PushModel.Notification, app: Int64) throws {
        try self.run(
            """
            INSERT INTO notifications (id, app, created_at, target_count, batch_count, resend_of, resend_through)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                notification.id.value.stored, app, notification.createdAt.millisecondsSince1970,
                notification.targetCount, notification.batchCount, notification.resendOf?.value.stored,
                notification.resendThrough?.stored,
            ]
        )
    }

    /// Adds a batch, with its payload as `BatchPayload` encodes it, and leased where it is claimed already.
    func insert(
        _ planned: PlannedBatch,
        claimed: ClaimedBatch? = nil,
        isActivity: Bool = false,
        kind: BatchKind,
        payload: [UInt8],
        app: Int64
    ) throws {
        let batch = planned.batch
        let lifecycle =
            claimed.map { planned.lifecycle.leased(to: $0.worker, until: $0.leasedUntil) } ?? planned.lifecycle
        let state = lifecycle.state
        let content = try self.insertContent(of: batch, payload: payload)
        try self.run(
            """
            INSERT INTO batches (id, notification, ordinal, app, lane, kind, state, claimable_at, next_target,
                target_count, delivered, worker, setbacks, failure, created_at, expires_at, content,
                is_activity)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?, 0, ?, ?, ?, ?, ?)
            """,
            [
                batch.id.value.stored, batch.notification.value.stored, batch.ordinal, app, batch.lane.stored,
                try self.number(of: kind, app: app), state.number, state.claimableAt, batch.targets.count,
                lifecycle.lastWorker?.rawValue, state.failure, batch.createdAt.millisecondsSince1970,
                batch.expiresAt?.millisecondsSince1970,
                content, isActivity ? 1 : 0,
            ]
        )
        if let code = planned.failure { try self.add(OutcomeCounts(failed: [code: batch.targets.count]), to: batch.id) }
    }
}

extension SQLiteStore {
    /// Runs a change of activities; urgent batches that it makes are handed over where somebody in this process wants them.
    func writeActivities<Value: Sendable>(
        in lane: Lane = .urgent,
        _ body: @escaping @Sendable (ActivitySQL, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        let handOver = TransactionHandOver(self.handOvers)
        do {
            let value = try await self.write(in: lane) { database, changes in
                handOver.withdraw()
                return try body(ActivitySQL(database: database, handOver: handOver), &changes)
            }
            handOver.complete()
            return value
        } catch {
            handOver.withdraw()
            throw error
        }
    }
}
