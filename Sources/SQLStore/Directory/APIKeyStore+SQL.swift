// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension APIKeyStore where Self: SQLBacked {
    public func createKey(_ key: APIKey) async throws {
        try await self.sql.write { transaction in
            let app = try key.app.map { try transaction.lockedNumber(of: $0) }
            let result = try transaction.run(
                """
                INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
                    signing_secret, policy)
                VALUES (\(key.id), \(key.name), \(key.storedScopes), \(app), \(key.secretHash), \(key.createdAt),
                    \(key.expiresAt), \(key.revokedAt), \(key.sealedSigningSecret), \(key.storedPolicy))
                ON CONFLICT DO NOTHING
                """
            )
            guard try result.changes == 1 else { throw StoreError.taken("an API key '\(key.id)'") }
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
        try await self.sql.run("UPDATE api_keys SET revoked_at = coalesce(revoked_at, \(now)) WHERE id = \(id)") > 0
    }

    public func markKeysUsed(_ uses: [APIKeyID: Date]) async throws {
        // In one order, so that concurrent transactions do not deadlock.
        let uses = uses.sorted { $0.key.rawValue < $1.key.rawValue }
        try await self.sql.write { transaction in
            for (id, time) in uses {
                try transaction.run(
                    """
                    UPDATE api_keys SET last_used_at = \(time)
                    WHERE id = \(id) AND (last_used_at IS NULL OR last_used_at < \(time))
                    """
                )
            }
        }
    }
}

extension SQL {
    fileprivate static let keys: SQL = """
        SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app
        """
}
