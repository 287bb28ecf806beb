// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: SealedStore {
    public func sealedValues(
        in table: SealedTable,
        after cursor: SealedItem?,
        limit: Int
    ) async throws -> Page<SealedValue, SealedItem> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            let rows = try database.rows(
                """
                SELECT items.\(table.key) AS key, items.\(table.column) AS sealed, \(table.source)
                    AND items.\(table.column) IS NOT NULL AND items.\(table.key) > ?
                ORDER BY items.\(table.key) LIMIT ?
                """,
                [cursor?.storedKey ?? table.firstKey, limit + 1]
            )
            return try Page(sealed: rows, in: table, limit: limit)
        }
    }

    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        let table = item.table
        return try await self.write { database in
            try database.run(
                "UPDATE \(table.rawValue) SET \(table.column) = ? WHERE \(table.key) = ? AND \(table.column) = ?",
                [new, item.storedKey, old]
            ) > 0
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
        // By the index of these few, among all subscriptions of devices. Nothing reads an id of another length.
        case .subscriptions:
            """
            topics.name AS owner FROM subscriptions AS items INDEXED BY subscriptions_sealed
            CROSS JOIN topic_shares ON topic_shares.number = items.share
            CROSS JOIN topics ON topics.number = topic_shares.topic WHERE length(items.id) = 16
            """
        case .deliveryIdentity: "NULL AS owner FROM delivery_identity AS items WHERE TRUE"
        }
    }

    /// A key before those of all rows.
    fileprivate var firstKey: any StatementArgument {
        switch self {
        case .credentials, .webhooks, .apiKeys: ""
        case .subscriptions: [UInt8]()
        case .deliveryIdentity: 0
        }
    }
}

extension SealedItem {
    /// The key of the item's row.
    fileprivate var storedKey: any StatementArgument {
        switch self {
        case .credential(let id): id.rawValue
        case .webhook(let id): id.rawValue
        case .signingSecret(let id): id.rawValue
        case .subscriptionUser(let id): id.value.stored
        case .deliveryIdentity: 1
        }
    }
}
