// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension PostgresStore: SealedStore {
    public func sealedValues(
        in table: SealedTable,
        after cursor: SealedItem?,
        limit: Int
    ) async throws -> Page<SealedValue, SealedItem> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            let rows = try connection.rows(
                """
                SELECT items.\(table.key) AS key, items.\(table.column) AS sealed, \(table.source)
                    AND items.\(table.column) IS NOT NULL AND items.\(table.key) > $1
                ORDER BY items.\(table.key) LIMIT $2
                """,
                [cursor?.storedKey ?? table.firstKey, .number(limit + 1)]
            )
            return try Page(sealed: rows, in: table, limit: limit)
        }
    }

    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        let table = item.table
        return try await self.write { connection in
            let reply = try connection.queue(
                "UPDATE \(table.rawValue) SET \(table.column) = $1 WHERE \(table.key) = $2 AND \(table.column) = $3",
                [.bytes(new), item.storedKey, .bytes(old)]
            )
            try connection.commit()
            return reply.changes > 0
        }
    }
}

extension SealedTable {
    /// The owner of each row, and where the rows are; conditions on `items` follow.
    fileprivate var source: String {
        switch self {
        case .credentials, .webhooks:
            "apps.id AS owner FROM \(self.rawValue) AS items JOIN apps ON apps.number = items.app WHERE TRUE"
        case .apiKeys:
            "apps.id AS owner FROM api_keys AS items LEFT JOIN apps ON apps.number = items.app WHERE revoked_at IS NULL"
        case .subscriptions:
            """
            topics.name AS owner FROM subscriptions AS items
            JOIN topic_shares ON topic_shares.number = items.share
            JOIN topics ON topics.number = topic_shares.topic WHERE TRUE
            """
        case .deliveryIdentity: "NULL::text AS owner FROM delivery_identity AS items WHERE TRUE"
        }
    }

    /// A key before those of all rows.
    fileprivate var firstKey: PostgresValue {
        switch self {
        case .credentials, .webhooks, .apiKeys: .text("")
        case .subscriptions: .id(APNsID(high: 0, low: 0))
        case .deliveryIdentity: .integer(0)
        }
    }
}

extension SealedItem {
    /// The key of the item's row.
    fileprivate var storedKey: PostgresValue {
        switch self {
        case .credential(let id): .text(id.rawValue)
        case .webhook(let id): .text(id.rawValue)
        case .signingSecret(let id): .text(id.rawValue)
        case .subscriptionUser(let id): .id(id.value)
        case .deliveryIdentity: .integer(1)
        }
    }
}
