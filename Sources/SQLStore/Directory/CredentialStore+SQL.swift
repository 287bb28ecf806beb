// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension CredentialStore where Self: SQLBacked {
    public func addCredential(_ credential: Credential) async throws {
        try await self.sql.write { transaction in
            try transaction.insert(credential, app: transaction.lockedNumber(of: credential.app))
            try transaction.audit(created: credential)
        }
    }

    public func credentials(of app: AppID) async throws -> [Credential] {
        try await self.sql.list(
            """
            \(SQL.credentials) WHERE apps.id = \(app)
            ORDER BY credentials.created_at DESC, credentials.id DESC
            """,
            in: "credentials"
        ) { try Credential(stored: $0) }
    }

    public func credential(_ id: CredentialID) async throws -> Credential? {
        try await self.sql.first("\(SQL.credentials) WHERE credentials.id = \(id)") { try Credential(stored: $0) }
    }

    public func removeCredential(_ id: CredentialID) async throws -> Bool {
        try await self.sql.write { transaction in
            let row = try transaction.first("\(SQL.credentials) WHERE credentials.id = \(id)")
            guard let row, try transaction.run("DELETE FROM credentials WHERE id = \(id)").changes > 0 else {
                return false
            }
            // A corrupt credential can be removed too.
            if let credential = try? Credential(stored: row) { try transaction.audit(deleted: credential) }
            return true
        }
    }
}

extension SQLExecutor {
    /// Adds a credential; throws `.conflict` if there is one of that ID, `.invalid` if it has no environment.
    package func insert(_ credential: Credential, app: Int64) throws {
        let environments = credential.environments
        guard !environments.isEmpty else {
            let message = "Credential '\(credential.id)' has no environment. Name sandbox, production or both."
            throw StoreError.invalid(message)
        }
        let (keyID, teamID, format): (String?, String?, CertificateFormat?) =
            switch credential.kind {
            case .key(let keyID, let teamID): (keyID, teamID, nil)
            case .certificate(let format): (nil, nil, format)
            }
        let sandbox = environments.contains(.sandbox) ? 1 : 0
        let production = environments.contains(.production) ? 1 : 0
        let (path, passwordPath, sealed): (String?, String?, [UInt8]?) =
            switch credential.secret {
            case .file(let path, let passwordPath): (path, passwordPath, nil)
            case .sealed(let bytes): (nil, nil, bytes)
            }
        let result = try self.run(
            """
            INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
                password_path, sealed, created_at)
            VALUES (\(credential.id), \(app), \(keyID), \(teamID), \(format?.rawValue),
                \(sandbox), \(production), \(path),
                \(passwordPath), \(sealed), \(credential.createdAt))
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

extension CredentialFailureStore where Self: SQLBacked {
    public func credentialFailed(_ trouble: CredentialFailure, now: Date) async throws -> Bool {
        let subject = trouble.subject
        return try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: subject.app)
            let added = try transaction.run(
                """
                INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
                VALUES (\(app), \(subject.environment), \(subject.pushType.rawValue), \(trouble.stored.reason),
                    \(trouble.stored.code), \(now))
                ON CONFLICT DO NOTHING
                """
            )
            guard try added.changes > 0 else { return false }
            transaction.append(.credentialFailed(trouble, time: now), app: app)
            return true
        }
    }

    public func credentialRecovered(_ subject: CredentialFailure.Subject, now: Date) async throws -> Bool {
        let condition: SQL = """
            app = \(SQL.number(of: subject.app)) AND environment = \(subject.environment)
                AND push_type = \(subject.pushType.rawValue)
            """
        guard try await self.sql.finds("SELECT 1 FROM credential_troubles WHERE \(condition)") else { return false }
        return try await self.sql.write { transaction in
            let row = try transaction.first("DELETE FROM credential_troubles WHERE \(condition) RETURNING *")
            guard let row else { return false }
            let trouble = try CredentialFailure(stored: row, subject: subject)
            transaction.append(.recovered(trouble, since: try row.date("since"), time: now), app: try row.int64("app"))
            return true
        }
    }
}
