// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Replaces what is sealed under the master key, so that the key can be rotated.
public protocol SealedStore: Sendable {
    /// Replaces the sealed bytes of a record, unless they are others than `old` by now, or the record is gone.
    ///
    /// - Returns: whether they were replaced.
    func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool
}

extension SealedItem {
    /// The table and the column of the sealed bytes, and the `id` of the row; `nil` where the bytes find it.
    package var stored: (table: String, column: String, id: String?) {
        switch self {
        case .credential(let id): ("credentials", "sealed", id.rawValue)
        case .webhook(let id): ("webhooks", "secret", id.rawValue)
        case .signingSecret(let id): ("api_keys", "signing_secret", id.rawValue)
        // Its id is no text; sealed bytes are never the same twice.
        case .subscriptionUser: ("subscriptions", "sealed_user", nil)
        case .deliveryIdentity: ("delivery_identity", "sealed_key", nil)
        }
    }
}
