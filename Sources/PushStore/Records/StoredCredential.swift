// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// A credential as columns.
package struct StoredCredential {
    package let keyID: String?
    package let teamID: String?
    package let certificateFormat: String?
    package let isForSandbox: Bool
    package let isForProduction: Bool
    package let secretPath: String?
    package let passwordPath: String?
    package let sealed: [UInt8]?

    /// Takes a credential apart.
    ///
    /// - Throws: ``StoreError`` `.invalid` when it is good for no environment.
    package init(_ credential: Credential) throws {
        guard !credential.environments.isEmpty else {
            throw StoreError(
                code: .invalid,
                message: "Credential '\(credential.id)' is good for no environment. Name sandbox, production or both."
            )
        }
        self.isForSandbox = credential.environments.contains(.sandbox)
        self.isForProduction = credential.environments.contains(.production)
        switch credential.kind {
        case .key(let keyID, let teamID): (self.keyID, self.teamID, self.certificateFormat) = (keyID, teamID, nil)
        case .certificate(let format):
            (self.keyID, self.teamID, self.certificateFormat) = (nil, nil, format.rawValue)
        }
        switch credential.secret {
        case .file(let path, let passwordPath):
            (self.secretPath, self.passwordPath, self.sealed) = (path, passwordPath, nil)
        case .sealed(let bytes): (self.secretPath, self.passwordPath, self.sealed) = (nil, nil, bytes)
        }
    }
}

extension Credential {
    /// Reads the columns of the table `credentials`, and `app_id`.
    package init(stored row: some StoredRow) throws {
        var environments: Set<APNsEnvironment> = []
        if try row.number("sandbox") != 0 { environments.insert(.sandbox) }
        if try row.number("production") != 0 { environments.insert(.production) }
        let secret: CredentialSecret =
            if let path = try row.text("secret_path") {
                .file(path: path, passwordPath: try row.text("password_path"))
            } else {
                .sealed(try row.blob("sealed"))
            }
        self.init(
            id: try row.identifier("id"),
            app: try row.identifier("app_id"),
            kind: try CredentialKind(stored: row),
            environments: environments,
            secret: secret,
            createdAt: try row.date("created_at")
        )
    }
}

extension CredentialKind {
    fileprivate init(stored row: some StoredRow) throws {
        if let keyID = try row.text("key_id"), let teamID = try row.text("team_id") {
            self = .key(keyID: keyID, teamID: teamID)
        } else if let format = CertificateFormat(rawValue: try row.text("certificate_format") ?? "") {
            self = .certificate(format: format)
        } else {
            throw StoreError.damaged("credential")
        }
    }
}
