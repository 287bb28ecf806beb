// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: APIKeyStore {
    private static let columns = """
        SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app
        """

    public func createKey(_ key: APIKey) async throws {
        try await self.write { database in
            let app = try key.app.map { try database.requiredNumber(of: $0) }
            guard try database.row("SELECT 1 FROM api_keys WHERE id = ?", [key.id.rawValue]) == nil else {
                throw StoreError.taken("an API key '\(key.id)'")
            }
            try database.run(
                """
                INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
                    signing_secret) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    key.id.rawValue, key.name, key.storedScopes, app,
                    key.secretHash, key.createdAt.millisecondsSince1970,
                    key.expiresAt?.millisecondsSince1970, key.revokedAt?.millisecondsSince1970,
                    key.sealedSigningSecret,
                ]
            )
        }
    }

    public func key(_ id: APIKeyID) async throws -> APIKey? {
        try await self.lookUp { database in
            try database.row("\(Self.columns) WHERE api_keys.id = ?", [id.rawValue]).map(APIKey.init(stored:))
        }
    }

    public func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            let rows = try database.rows(
                "\(Self.columns) WHERE api_keys.id > ? ORDER BY api_keys.id LIMIT ?",
                [cursor?.rawValue ?? "", limit + 1]
            )
            return try Page(
                overfull: rows,
                in: "api_keys",
                limit: limit,
                cursor: { APIKeyID(unchecked: try $0.string("id")) }
            ) {
                try APIKey(stored: $0)
            }
        }
    }

    @discardableResult
    public func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool {
        try await self.write { database in
            try database.run(
                "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
                [now.millisecondsSince1970, id.rawValue]
            ) > 0
        }
    }

    public func markKeysUsed(_ uses: [APIKeyID: Date]) async throws {
        let times = uses.map { ($0.key.rawValue, $0.value.millisecondsSince1970) }
        let json = try JSONEncoder().encode(Dictionary(uniqueKeysWithValues: times))
        try await self.write { database in
            _ = try database.run(
                """
                UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), used.value)
                FROM json_each(?) AS used WHERE api_keys.id = used.key
                """,
                [String(decoding: json, as: UTF8.self)]
            )
        }
    }
}
