// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: CredentialStore {
    private static let columns = """
        SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app
        """

    public func addCredential(_ credential: Credential) async throws {
        try await self.write { database in
            try database.insert(credential, app: database.requiredNumber(of: credential.app))
        }
    }

    public func credentials(of app: AppID) async throws -> [Credential] {
        try await self.read { database in
            try database.rows(
                "\(Self.columns) WHERE apps.id = ? ORDER BY credentials.created_at DESC, credentials.id DESC",
                [app.rawValue]
            ).mapReadable(in: "credentials") { try Credential(stored: $0) }
        }
    }

    public func credential(_ id: CredentialID) async throws -> Credential? {
        try await self.read { database in
            try database.row("\(Self.columns) WHERE credentials.id = ?", [id.rawValue]).map(Credential.init(stored:))
        }
    }

    @discardableResult
    public func removeCredential(_ id: CredentialID) async throws -> Bool {
        try await self.write { database in
            try database.run("DELETE FROM credentials WHERE id = ?", [id.rawValue]) > 0
        }
    }
}

extension Database {
    func insert(_ credential: Credential, app: Int64) throws {
        let stored = try StoredCredential(credential)
        guard try self.row("SELECT 1 FROM credentials WHERE id = ?", [credential.id.rawValue]) == nil else {
            throw StoreError.taken("a credential '\(credential.id)'")
        }
        try self.run(
            """
            INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
                password_path, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                credential.id.rawValue, app, stored.keyID, stored.teamID, stored.certificateFormat,
                stored.isForSandbox, stored.isForProduction, stored.secretPath, stored.passwordPath,
                stored.sealed, credential.createdAt.millisecondsSince1970,
            ]
        )
    }
}
