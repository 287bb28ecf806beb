// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: APIKeyStore {
    private static let columns = """
        SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app
        """

    public func createKey(_ key: APIKey) async throws {
        try await self.write { connection in
            let app = try key.app.map { try connection.lockedNumber(of: $0) }
            let reply = try connection.queue(
                """
                INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
                    signing_secret) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
                """,
                [
                    .text(key.id.rawValue), .text(key.name), .text(key.storedScopes), .integer(app),
                    .bytes(key.secretHash), .integer(key.createdAt.millisecondsSince1970),
                    .integer(key.expiresAt?.millisecondsSince1970), .integer(key.revokedAt?.millisecondsSince1970),
                    .bytes(key.sealedSigningSecret),
                ]
            )
            try connection.receive()
            guard reply.changes == 1 else { throw StoreError.taken("an API key '\(key.id)'") }
        }
    }

    public func key(_ id: APIKeyID) async throws -> APIKey? {
        try await self.read { connection in
            try connection.row("\(Self.columns) WHERE api_keys.id = $1", [.text(id.rawValue)])
                .map(APIKey.init(stored:))
        }
    }

    public func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            let rows = try connection.rows(
                "\(Self.columns) WHERE api_keys.id > $1 ORDER BY api_keys.id LIMIT $2",
                [.text(cursor?.rawValue ?? ""), .number(limit + 1)]
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
        try await self.write { connection in
            let reply = try connection.queue(
                "UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2",
                [.integer(now.millisecondsSince1970), .text(id.rawValue)]
            )
            try connection.commit()
            return reply.changes > 0
        }
    }

    public func markKeysUsed(_ uses: [APIKeyID: Date]) async throws {
        let uses = uses.sorted { $0.key.rawValue < $1.key.rawValue }
        try await self.write { connection in
            _ = try connection.queue(
                """
                UPDATE api_keys SET last_used_at = greatest(last_used_at, used.time)
                FROM unnest($1::text[], $2::bigint[]) AS used (id, time) WHERE api_keys.id = used.id
                """,
                [.texts(uses.map(\.key.rawValue)), .integers(uses.map { $0.value.millisecondsSince1970 })]
            )
        }
    }
}
