// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

public protocol APIKeyStore: Sendable {
    /// Adds a key; throws ``StoreError`` `.conflict` when there is a key of that id.
    func createKey(_ key: APIKey) async throws

    func key(_ id: APIKeyID) async throws -> APIKey?

    /// All keys in the order of their ids, expired and revoked ones included.
    func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID>

    /// Revokes a key for good; one that is revoked already keeps its first time.
    @discardableResult
    func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool

    /// Records when keys were last used, unless that is earlier than the stored time.
    func markKeysUsed(_ uses: [APIKeyID: Date]) async throws
}

extension APIKey {
    package init(stored row: StoredRow) throws {
        self.init(
            id: try row.identifier("id"),
            name: try row.string("name"),
            scopes: Set(try row.string("scopes").split(separator: " ").compactMap { Scope(rawValue: String($0)) }),
            app: try row.text("app_id").flatMap { AppID(rawValue: $0) },
            policy: try row.text("policy").map(KeyPolicy.init(stored:)),
            secretHash: try row.blob("secret_hash"),
            sealedSigningSecret: try row.bytes("signing_secret"),
            createdAt: try row.date("created_at"),
            expiresAt: try row.optionalDate("expires_at"),
            revokedAt: try row.optionalDate("revoked_at"),
            lastUsedAt: try row.optionalDate("last_used_at")
        )
    }

    /// The value of the column `policy`; throws `InvalidValueError`.
    package var storedPolicy: String? {
        get throws { try self.policy.map { String(decoding: try $0.json.json(), as: UTF8.self) } }
    }

    package var storedScopes: String { self.scopes.sorted().map(\.rawValue).joined(separator: " ") }
}

extension KeyPolicy {
    /// A key whose policy cannot be read is corrupt as a whole: it must not work without its limits.
    fileprivate init(stored text: String) throws {
        do {
            try self.init(json: JSONValue(json: Array(text.utf8)))
        } catch {
            throw StoreError.damaged("policy of an API key")
        }
    }
}
