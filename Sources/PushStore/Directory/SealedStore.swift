// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel

/// Reads and replaces values that are sealed under the master key; the other columns may be corrupt.
public protocol SealedStore: Sendable {
    /// The sealed values of a table, in the order of the IDs of their rows.
    ///
    /// Signing secrets of revoked API keys are omitted, because nothing opens them.
    func sealedValues(
        in table: SealedTable,
        after cursor: SealedItem?,
        limit: Int
    ) async throws -> Page<SealedValue, SealedItem>

    /// Replaces the sealed bytes of a record, unless they are others than `old` by now, or the record is gone.
    func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool
}

public enum SealedTable: String, Hashable, Sendable, CaseIterable {
    case credentials
    case webhooks
    case apiKeys = "api_keys"
    case subscriptions

    /// It has one row at most.
    case deliveryIdentity = "delivery_identity"

    /// It has one row at most.
    case dataKey = "data_key"
}

public struct SealedValue: Hashable, Sendable {
    public let item: SealedItem

    /// The name of the app, or of the topic, that the item belongs to; `nil` for an item of the whole store.
    public let owner: String?

    public let bytes: [UInt8]
}

extension SealedValue {
    /// An ID is taken as it is stored, because the value was sealed for it.
    package init(stored row: StoredRow, in table: SealedTable) throws {
        self.item =
            switch table {
            case .credentials: .credential(CredentialID(unchecked: try row.string("key")))
            case .webhooks: .webhook(WebhookID(unchecked: try row.string("key")))
            case .apiKeys: .signingSecret(APIKeyID(unchecked: try row.string("key")))
            case .subscriptions: .subscriptionUser(SubscriptionID(try row.apnsID("key", of: "subscription")))
            case .deliveryIdentity: .deliveryIdentity
            case .dataKey: .dataKey
            }
        self.owner = try row.text("owner")
        self.bytes = try row.blob("sealed")
    }
}
