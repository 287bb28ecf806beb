// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
public import PushModel
public import PushStore

extension SQLiteStore: CredentialStore {
    private static let columns = """
        SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app
        """

    /// Adds a credential to its app; see `CredentialStore`.
    public func addCredential(_ credential: Credential) async throws {
        guard !credential.environments.isEmpty else {
            throw StoreError(
                code: .invalid,
                message: "Credential '\(credential.id)' is good for no environment. Name sandbox, production or both."
            )
        }
        try await self.write { database in
            let app = try database.requiredNumber(of: credential.app)
            guard try database.row("SELECT 1 FROM credentials WHERE id = ?", [credential.id.rawValue]) == nil else {
                throw StoreError(code: .conflict, message: "There is a credential '\(credential.id)' already.")
            }
            try database.insert(credential, app: app)
        }
    }

    /// An app's credentials, the youngest first; see `CredentialStore`.
    public func credentials(of app: AppID) async throws -> [Credential] {
        try await self.read { database in
            try database.rows(
                "\(Self.columns) WHERE apps.id = ? ORDER BY credentials.created_at DESC, credentials.id DESC",
                [app.rawValue]
            ).map(Credential.init(row:))
        }
    }

    /// The credential of that id; see `CredentialStore`.
    public func credential(_ id: CredentialID) async throws -> Credential? {
        try await self.read { database in
            try database.row("\(Self.columns) WHERE credentials.id = ?", [id.rawValue]).map(Credential.init(row:))
        }
    }

    /// Removes a credential; see `CredentialStore`.
    @discardableResult
    public func removeCredential(_ id: CredentialID) async throws -> Bool {
        try await self.write { database in
            try database.run("DELETE FROM credentials WHERE id = ?", [id.rawValue]) > 0
        }
    }
}

extension Database {
    fileprivate func insert(_ credential: Credential, app: Int64) throws {
        var key: (id: String, team: String)?
        var format: CertificateFormat?
        switch credential.kind {
        case .key(let keyID, let teamID): key = (keyID, teamID)
        case .certificate(let container): format = container
        }
        var file: (path: String, passwordPath: String?)?
        var sealed: [UInt8]?
        switch credential.secret {
        case .file(let path, let passwordPath): file = (path, passwordPath)
        case .sealed(let bytes): sealed = bytes
        }
        try self.run(
            """
            INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
                password_path, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                credential.id.rawValue, app, key?.id, key?.team, format?.rawValue,
                credential.environments.contains(.sandbox), credential.environments.contains(.production),
                file?.path, file?.passwordPath, sealed.map { Data($0) }, credential.createdAt.millisecondsSince1970,
            ]
        )
    }
}

extension Credential {
    fileprivate init(row: Row) throws {
        guard
            let id = CredentialID(rawValue: row["id"]), let app = AppID(rawValue: row["app_id"]),
            let kind = CredentialKind(row: row)
        else { throw StoreError.damaged("credential") }
        var environments: Set<APNsEnvironment> = []
        if row["sandbox"] { environments.insert(.sandbox) }
        if row["production"] { environments.insert(.production) }
        let secret: CredentialSecret =
            if let path = row["secret_path"] as String? {
                .file(path: path, passwordPath: row["password_path"])
            } else {
                .sealed(row.bytes("sealed"))
            }
        self.init(
            id: id,
            app: app,
            kind: kind,
            environments: environments,
            secret: secret,
            createdAt: row.date("created_at")
        )
    }
}

extension CredentialKind {
    fileprivate init?(row: Row) {
        if let keyID = row["key_id"] as String?, let teamID = row["team_id"] as String? {
            self = .key(keyID: keyID, teamID: teamID)
        } else if let format = (row["certificate_format"] as String?).flatMap(CertificateFormat.init(rawValue:)) {
            self = .certificate(format: format)
        } else {
            return nil
        }
    }
}
