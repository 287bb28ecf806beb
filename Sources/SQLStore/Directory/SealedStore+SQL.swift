// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension SealedStore where Self: SQLBacked {
    public func sealedValues(
        in table: SealedTable,
        after cursor: SealedItem?,
        limit: Int
    ) async throws -> Page<SealedValue, SealedItem> {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.read { reader in
            let (_, column, key, firstKey) = table.names
            let rows = try reader.rows(
                """
                SELECT items.\(key) AS key, items.\(column) AS sealed, \(table.source)
                    AND items.\(column) IS NOT NULL AND items.\(key) > \(cursor?.place.key ?? firstKey)
                ORDER BY items.\(key) LIMIT \(limit + 1)
                """
            )
            let values = try rows.map { try SealedValue(stored: $0, in: table) }
            return Page(overfull: values, limit: limit, cursor: \.item)
        }
    }

    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        let (table, key) = item.place
        let names = table.names
        return try await self.sql.run(
            """
            UPDATE \(names.table) SET \(names.column) = \(new)
            WHERE \(names.key) = \(key) AND \(names.column) = \(old)
            """
        ) > 0
    }
}

extension SealedTable {
    /// The names of the table and of its columns, and a key before those of all rows.
    fileprivate var names: (table: SQL, column: SQL, key: SQL, firstKey: SQL) {
        switch self {
        case .credentials: ("credentials", "sealed", "id", "\("")")
        case .webhooks: ("webhooks", "secret", "id", "\("")")
        case .apiKeys: ("api_keys", "signing_secret", "id", "\("")")
        case .subscriptions: ("subscriptions", "sealed_user", "id", "\(APNsID(high: 0, low: 0))")
        case .deliveryIdentity: ("delivery_identity", "sealed_key", "number", "\(0)")
        case .dataKey: ("data_key", "sealed", "number", "\(0)")
        }
    }

    /// The owner of each row, and the tables; conditions on `items` follow.
    fileprivate var source: SQL {
        switch self {
        case .credentials, .webhooks:
            "apps.id AS owner FROM \(self.names.table) AS items JOIN apps ON apps.number = items.app WHERE TRUE"
        case .apiKeys:
            "apps.id AS owner FROM api_keys AS items LEFT JOIN apps ON apps.number = items.app WHERE revoked_at IS NULL"
        // Few subscriptions have a sealed value, and SQLite has an index of these. Nothing reads an ID of another length.
        case .subscriptions:
            """
            topics.name AS owner FROM subscriptions AS items \(sqlite: "INDEXED BY subscriptions_sealed CROSS")
            JOIN topic_shares ON topic_shares.number = items.share
            \(SQL.orderedJoin) topics ON topics.number = topic_shares.topic
            WHERE \(sqlite: "length(items.id) = 16", postgres: "TRUE")
            """
        case .deliveryIdentity, .dataKey:
            "CAST(NULL AS text) AS owner FROM \(self.names.table) AS items WHERE TRUE"
        }
    }
}

extension SealedItem {
    fileprivate var place: (table: SealedTable, key: SQL) {
        switch self {
        case .credential(let id): (.credentials, "\(id)")
        case .webhook(let id): (.webhooks, "\(id)")
        case .signingSecret(let id): (.apiKeys, "\(id)")
        case .subscriptionUser(let id): (.subscriptions, "\(id.value)")
        case .deliveryIdentity: (.deliveryIdentity, "\(1)")
        case .dataKey: (.dataKey, "\(1)")
        }
    }
}
