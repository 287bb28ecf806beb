// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension APIKeyStore where Self: SQLBacked {
    public func createKey(_ key: APIKey) async throws {
        try await self.sql.write { transaction in
            try transaction.insert(key, app: key.app.map { try transaction.lockedNumber(of: $0) })
            try transaction.audit(created: key)
        }
    }

    public func key(_ id: APIKeyID) async throws -> APIKey? {
        try await self.sql.first("\(SQL.keys) WHERE api_keys.id = \(id)") { try APIKey(stored: $0) }
    }

    public func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID> {
        try await self.sql.page(
            "\(SQL.keys) WHERE api_keys.id > \(cursor?.rawValue ?? "") ORDER BY api_keys.id",
            in: "api_keys",
            limit: limit,
            cursor: { APIKeyID(unchecked: try $0.string("id")) }
        ) { try APIKey(stored: $0) }
    }

    public func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool {
        try await self.sql.write { transaction in
            guard let former = try transaction.lockedKey(id) else { return false }
            guard former.revokedAt == nil else { return true }
            var key = former
            key.revokedAt = now.keptToMilliseconds
            try transaction.run("UPDATE api_keys SET revoked_at = \(now) WHERE id = \(id)")
            try transaction.audit(former, to: key, as: .revoked)
            return true
        }
    }

    public func rotateKey(
        _ id: APIKeyID,
        to successor: APIKey,
        endingAt end: Date,
        now: Date
    ) async throws -> APIKey? {
        try await self.sql.write { transaction in
            let app = try successor.app.flatMap { try transaction.lockedNumberIfFound(of: $0) }
            guard let former = try transaction.lockedKey(id), former.refusal(now: now) == nil else { return nil }
            var key = former
            key.expiresAt = min(former.expiresAt ?? end, end).keptToMilliseconds
            key.replacedBy = successor.id
            try transaction.insert(successor, app: app)
            try transaction.run(
                """
                UPDATE api_keys SET expires_at = \(key.expiresAt), replaced_by = \(successor.id) WHERE id = \(id)
                """
            )
            try transaction.audit(former, to: key, as: .rotated)
            try transaction.audit(created: successor)
            return key
        }
    }

    public func markKeysUsed(_ uses: [APIKeyID: APIKeyUse]) async throws {
        // In one order, so that concurrent transactions do not deadlock.
        let uses = uses.sorted { $0.key.rawValue < $1.key.rawValue }
        try await self.sql.write { transaction in
            for (id, use) in uses {
                try transaction.run(
                    """
                    UPDATE api_keys SET last_used_at = \(use.time), last_used_address = \(use.address)
                    WHERE id = \(id) AND (last_used_at IS NULL OR last_used_at < \(use.time))
                    """
                )
            }
        }
    }
}

extension SQLExecutor {
    /// Adds a key; throws `.conflict` if there is one of that ID.
    fileprivate func insert(_ key: APIKey, app: Int64?) throws {
        let result = try self.run(
            """
            INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
                signing_secret, policy, allowed_addresses, created_by)
            VALUES (\(key.id), \(key.name), \(key.storedScopes), \(app), \(key.secretHash), \(key.createdAt),
                \(key.expiresAt), \(key.revokedAt), \(key.sealedSigningSecret), \(key.storedPolicy),
                \(key.storedAddresses), \(key.createdBy))
            ON CONFLICT DO NOTHING
            """
        )
        guard try result.changes == 1 else { throw StoreError.taken("an API key '\(key.id)'") }
    }

    /// A key, which nothing else changes before the transaction ends.
    fileprivate func lockedKey(_ id: APIKeyID) throws -> APIKey? {
        try self.first("\(SQL.keys) WHERE api_keys.id = \(id)\(lock: " FOR UPDATE OF api_keys")")
            .map(APIKey.init(stored:))
    }
}

extension SQL {
    fileprivate static let keys: SQL = """
        SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app
        """
}
