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

    /// Adds the successor of a key, and ends the key at a time, or earlier if it expires before.
    ///
    /// - Returns: the changed key; `nil`, and no successor is added, if the key does not exist, was revoked or has expired.
    /// - Throws: ``StoreError`` `.conflict` if there is a key of the successor's ID.
    func rotateKey(_ id: APIKeyID, to successor: APIKey, endingAt end: Date, now: Date) async throws -> APIKey?

    /// Records when and from where keys were last used, unless that is earlier than the stored time.
    func markKeysUsed(_ uses: [APIKeyID: APIKeyUse]) async throws
}

/// A use of an API key.
public struct APIKeyUse: Hashable, Sendable {
    public var time: Date

    /// The IP address of the client, if known.
    public var address: String?

    public init(time: Date, address: String? = nil) {
        self.time = time
        self.address = address
    }
}

extension APIKey {
    package init(stored row: StoredRow) throws {
        self.init(
            id: try row.identifier("id"),
            name: try row.string("name"),
            scopes: Set(try row.string("scopes").split(separator: " ").compactMap { Scope(rawValue: String($0)) }),
            app: try row.text("app_id").flatMap { AppID(rawValue: $0) },
            policy: try row.text("policy").map(KeyPolicy.init(stored:)),
            allowedAddresses: try Self.addresses(stored: row.text("allowed_addresses")),
            secretHash: try row.blob("secret_hash"),
            sealedSigningSecret: try row.bytes("signing_secret"),
            createdAt: try row.date("created_at"),
            createdBy: try row.text("created_by").flatMap { APIKeyID(rawValue: $0) },
            expiresAt: try row.optionalDate("expires_at"),
            replacedBy: try row.text("replaced_by").flatMap { APIKeyID(rawValue: $0) },
            revokedAt: try row.optionalDate("revoked_at"),
            lastUsedAt: try row.optionalDate("last_used_at"),
            lastUsedAddress: try row.text("last_used_address")
        )
    }

    /// A key whose addresses cannot be read is corrupt as a whole: it must not work without its limits.
    private static func addresses(stored text: String?) throws -> [AddressRange] {
        guard let text else { return [] }
        let ranges = text.split(separator: " ").map { AddressRange(String($0)) }
        let known = ranges.compactMap(\.self)
        guard known.count == ranges.count, !known.isEmpty else { throw StoreError.damaged("addresses of an API key") }
        return known
    }

    /// The value of the column `allowed_addresses`; `nil` for all addresses.
    package var storedAddresses: String? {
        self.allowedAddresses.isEmpty ? nil : self.allowedAddresses.map(\.description).joined(separator: " ")
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
