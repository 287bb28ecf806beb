// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: IdempotencyStore {
    public func idempotencyRecord(_ slot: IdempotencySlot) async throws -> IdempotencyRecord? {
        try await self.read { database in
            guard let app = try database.number(of: slot.app) else { return nil }
            return try database.row(
                "SELECT * FROM idempotency_records WHERE app = ? AND api_key = ? AND key = ?",
                [app, slot.apiKey.rawValue, slot.key.rawValue]
            ).map { try IdempotencyRecord(stored: $0, slot: slot) }
        }
    }

    public func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot) async throws {
        try await self.write { database in
            guard let app = try database.number(of: slot.app) else { return }
            try database.run(
                """
                UPDATE idempotency_records SET status = ?, location = ?, body = ?
                WHERE app = ? AND api_key = ? AND key = ?
                """,
                [
                    answer.status, answer.location, answer.body, app, slot.apiKey.rawValue, slot.key.rawValue,
                ]
            )
        }
    }

    @discardableResult
    public func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int {
        try await self.write(in: .bulk) { database in
            try database.run(
                """
                DELETE FROM idempotency_records WHERE rowid IN (
                    SELECT rowid FROM idempotency_records WHERE created_at < ? ORDER BY created_at LIMIT ?
                )
                """,
                [time.millisecondsSince1970, PageLimit.clamp(limit)]
            )
        }
    }
}

extension Database {
    /// Keeps an answer; a key that was used before is a conflict.
    func insert(_ record: IdempotencyRecord, app: Int64) throws {
        try self.run(
            """
            INSERT INTO idempotency_records
                (app, api_key, key, request_hash, notification, status, location, body, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                app, record.slot.apiKey.rawValue, record.slot.key.rawValue, record.requestHash,
                record.notification.value.stored, record.answer.status, record.answer.location,
                record.answer.body, record.createdAt.millisecondsSince1970,
            ]
        )
    }
}
