// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

extension CredentialStore where Self: SQLBacked {
    public func addCredential(_ credential: Credential) async throws {
        try await self.sql.write { transaction in
            try transaction.insert(credential, app: transaction.lockedNumber(of: credential.app))
        }
    }

    public func credentials(of app: AppID) async throws -> [Credential] {
        try await self.sql.read { reader in
            try reader.rows(
                """
                \(SQL.credentials) WHERE apps.id = \(app)
                ORDER BY credentials.created_at DESC, credentials.id DESC
                """
            ).mapReadable(in: "credentials") { try Credential(stored: $0) }
        }
    }

    public func credential(_ id: CredentialID) async throws -> Credential? {
        try await self.sql.read { reader in
            try reader.first("\(SQL.credentials) WHERE credentials.id = \(id)").map(Credential.init(stored:))
        }
    }

    @discardableResult
    public func removeCredential(_ id: CredentialID) async throws -> Bool {
        try await self.sql.run("DELETE FROM credentials WHERE id = \(id)") > 0
    }
}

extension SQLExecutor {
    /// Adds a credential to an app.
    ///
    /// - Throws: ``StoreError`` `.conflict` if there is a credential of that ID, `.invalid` if it has no environment.
    package func insert(_ credential: Credential, app: Int64) throws {
        let stored = try StoredCredential(credential)
        let result = try self.run(
            """
            INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
                password_path, sealed, created_at)
            VALUES (\(credential.id), \(app), \(stored.keyID), \(stored.teamID), \(stored.certificateFormat),
                \(stored.isForSandbox ? 1 : 0), \(stored.isForProduction ? 1 : 0), \(stored.secretPath),
                \(stored.passwordPath), \(stored.sealed), \(credential.createdAt))
            ON CONFLICT DO NOTHING
            """
        )
        guard try result.changes == 1 else { throw StoreError.taken("a credential '\(credential.id)'") }
    }
}

extension SQL {
    fileprivate static let credentials: SQL = """
        SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app
        """
}
