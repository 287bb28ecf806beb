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
            let rows = try reader.rows(
                """
                SELECT items.\(table.key) AS key, items.\(table.column) AS sealed, \(table.source)
                    AND items.\(table.column) IS NOT NULL AND items.\(table.key) > \(cursor?.place.key ?? table.firstKey)
                ORDER BY items.\(table.key) LIMIT \(limit + 1)
                """
            )
            let values = try rows.map { try SealedValue(stored: $0, in: table) }
            return Page(overfull: values, limit: limit, cursor: \.item)
        }
    }

    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        let (table, key) = item.place
        return try await self.sql.run(
            """
            UPDATE \(table.name) SET \(table.column) = \(new)
            WHERE \(table.key) = \(key) AND \(table.column) = \(old)
            """
        ) > 0
    }
}

extension SealedTable {
    fileprivate var name: SQL {
        switch self {
        case .credentials: "credentials"
        case .webhooks: "webhooks"
        case .apiKeys: "api_keys"
        case .subscriptions: "subscriptions"
        case .deliveryIdentity: "delivery_identity"
        }
    }

    fileprivate var column: SQL {
        switch self {
        case .credentials: "sealed"
        case .webhooks: "secret"
        case .apiKeys: "signing_secret"
        case .subscriptions: "sealed_user"
        case .deliveryIdentity: "sealed_key"
        }
    }

    fileprivate var key: SQL { self == .deliveryIdentity ? "number" : "id" }

    /// The owner of each row, and the tables; conditions on `items` follow.
    fileprivate var source: SQL {
        switch self {
        case .credentials, .webhooks:
            "apps.id AS owner FROM \(self.name) AS items JOIN apps ON apps.number = items.app WHERE TRUE"
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
        case .deliveryIdentity: "CAST(NULL AS text) AS owner FROM delivery_identity AS items WHERE TRUE"
        }
    }

    /// A key before those of all rows.
    fileprivate var firstKey: SQL {
        switch self {
        case .credentials, .webhooks, .apiKeys: "\("")"
        case .subscriptions: "\(APNsID(high: 0, low: 0))"
        case .deliveryIdentity: "\(0)"
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
        }
    }
}
