// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: IdempotencyStore {
    public func idempotencyRecord(_ slot: IdempotencySlot) async throws -> IdempotencyRecord? {
        try await self.read { connection in
            try connection.row(
                """
                SELECT * FROM idempotency_records
                WHERE app = (SELECT number FROM apps WHERE id = $1) AND api_key = $2 AND key = $3
                """,
                [.text(slot.app.rawValue), .text(slot.apiKey.rawValue), .text(slot.key.rawValue)]
            ).map { try IdempotencyRecord(stored: $0, slot: slot) }
        }
    }

    public func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot) async throws {
        try await self.write { connection in
            _ = try connection.queue(
                """
                UPDATE idempotency_records SET status = $4, location = $5, body = $6
                WHERE app = (SELECT number FROM apps WHERE id = $1) AND api_key = $2 AND key = $3
                """,
                [
                    .text(slot.app.rawValue), .text(slot.apiKey.rawValue), .text(slot.key.rawValue),
                    .number(answer.status), .text(answer.location), .bytes(answer.body),
                ]
            )
        }
    }

    @discardableResult
    public func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int {
        let limit = PageLimit.clamp(limit)
        return try await self.write { connection in
            let reply = try connection.queue(
                """
                WITH old AS MATERIALIZED (
                    SELECT app, api_key, key FROM idempotency_records WHERE created_at < $1
                    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
                )
                DELETE FROM idempotency_records AS records USING old
                WHERE records.app = old.app AND records.api_key = old.api_key AND records.key = old.key
                """,
                [.integer(time.millisecondsSince1970), .number(limit)]
            )
            try connection.commit()
            return reply.changes
        }
    }
}

extension PostgresConnection {
    /// Queues that an answer is kept; a key that was used before is a conflict.
    func insert(_ record: IdempotencyRecord, app: Int64) throws {
        try self.queue(
            """
            INSERT INTO idempotency_records
                (app, api_key, key, request_hash, notification, status, location, body, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .integer(app), .text(record.slot.apiKey.rawValue), .text(record.slot.key.rawValue),
                .bytes(record.requestHash), .id(record.notification.value), .number(record.answer.status),
                .text(record.answer.location), .bytes(record.answer.body),
                .integer(record.createdAt.millisecondsSince1970),
            ]
        )
    }
}
