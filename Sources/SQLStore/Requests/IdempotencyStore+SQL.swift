// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension IdempotencyStore where Self: SQLBacked {
    public func idempotencyRecord(_ slot: ScopedIdempotencyKey) async throws -> IdempotencyRecord? {
        try await self.sql.first("SELECT * FROM idempotency_records WHERE \(slot.condition)") {
            try IdempotencyRecord(stored: $0, slot: slot)
        }
    }

    public func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: ScopedIdempotencyKey) async throws {
        try await self.sql.run(
            """
            UPDATE idempotency_records SET status = \(answer.status), location = \(answer.location),
                body = \(SQLValue.content(answer.body))
            WHERE \(slot.condition)
            """
        )
    }

    public func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int {
        // SQLite finds only one column of several with IN by an index.
        let row: SQL = "\(sqlite: "rowid", postgres: "app, api_key, key")"
        return try await self.sql.run(
            """
            WITH old AS MATERIALIZED (
                SELECT \(row) FROM idempotency_records WHERE created_at < \(time)
                ORDER BY created_at LIMIT \(PageLimit.clamp(limit))\(lock: " FOR UPDATE SKIP LOCKED")
            )
            DELETE FROM idempotency_records WHERE (\(row)) IN (SELECT \(row) FROM old)
            """,
            in: .bulk
        )
    }
}

extension SQLExecutor {
    /// Adds a record; a key that was used before is a conflict.
    package func insert(_ record: IdempotencyRecord, app: Int64) throws {
        try self.run(SQLStatement.insertRecords, over: [(record, app)])
    }

    /// Adds the records whose keys were not used before; of records with equal keys, it adds the first.
    ///
    /// - Returns: the notifications of the added records.
    func insertUnused(_ records: [(record: IdempotencyRecord, app: Int64)]) throws -> Set<NotificationID> {
        Set(
            try self.map(SQLStatement.insertUnusedRecords, over: records) {
                NotificationID(try $0.apnsID("notification"))
            }
        )
    }
}

extension SQLStatement {
    fileprivate static let insertRecords = SQLStatement.records { "INSERT INTO idempotency_records \($0.insert())" }

    fileprivate static let insertUnusedRecords = SQLStatement.records {
        "INSERT INTO idempotency_records \($0.insert()) ON CONFLICT DO NOTHING RETURNING notification"
    }

    private static func records(
        _ text: (SQLRows) -> SQL
    ) -> SQLRowStatement<(record: IdempotencyRecord, app: Int64)> {
        SQLRowStatement(
            "new",
            [
                "app": { .integer($0.app) }, "api_key": { .identifier($0.record.slot.apiKey) },
                "key": { .identifier($0.record.slot.key) }, "request_hash": { .bytes($0.record.requestHash) },
                "notification": { .id($0.record.notification.value) }, "status": { .number($0.record.answer.status) },
                "location": { .text($0.record.answer.location) }, "body": { .content($0.record.answer.body) },
                "created_at": { .time($0.record.createdAt) },
            ],
            text
        )
    }
}

extension ScopedIdempotencyKey {
    fileprivate var condition: SQL {
        "app = \(SQL.number(of: self.app)) AND api_key = \(self.apiKey) AND key = \(self.key)"
    }
}
