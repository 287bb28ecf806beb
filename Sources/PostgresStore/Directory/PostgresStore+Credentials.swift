// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushModel
public import PushStore

extension PostgresStore: CredentialStore {
    private static let columns = """
        SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app
        """

    public func addCredential(_ credential: Credential) async throws {
        try await self.write { connection in
            try connection.insert(credential, app: connection.lockedNumber(of: credential.app))
        }
    }

    public func credentials(of app: AppID) async throws -> [Credential] {
        try await self.read { connection in
            try connection.rows(
                "\(Self.columns) WHERE apps.id = $1 ORDER BY credentials.created_at DESC, credentials.id DESC",
                [.text(app.rawValue)]
            ).mapReadable(in: "credentials") { try Credential(stored: $0) }
        }
    }

    public func credential(_ id: CredentialID) async throws -> Credential? {
        try await self.read { connection in
            try connection.row("\(Self.columns) WHERE credentials.id = $1", [.text(id.rawValue)])
                .map(Credential.init(stored:))
        }
    }

    @discardableResult
    public func removeCredential(_ id: CredentialID) async throws -> Bool {
        try await self.write { connection in
            let reply = try connection.queue("DELETE FROM credentials WHERE id = $1", [.text(id.rawValue)])
            try connection.commit()
            return reply.changes > 0
        }
    }
}

extension PostgresConnection {
    func insert(_ credential: Credential, app: Int64) throws {
        let stored = try StoredCredential(credential)
        let reply = try self.queue(
            """
            INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
                password_path, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT DO NOTHING
            """,
            [
                .text(credential.id.rawValue), .integer(app), .text(stored.keyID), .text(stored.teamID),
                .text(stored.certificateFormat), .number(stored.isForSandbox ? 1 : 0),
                .number(stored.isForProduction ? 1 : 0), .text(stored.secretPath), .text(stored.passwordPath),
                .bytes(stored.sealed), .integer(credential.createdAt.millisecondsSince1970),
            ]
        )
        try self.receive()
        guard reply.changes == 1 else { throw StoreError.taken("a credential '\(credential.id)'") }
    }
}
