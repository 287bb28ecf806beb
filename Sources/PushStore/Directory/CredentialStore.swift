// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The credentials of apps.
public protocol CredentialStore: Sendable {
    /// Adds a credential; throws `.conflict` if there is one of that ID, `.invalid` if it has no environment.
    func addCredential(_ credential: Credential) async throws

    /// Returns an app's credentials, the latest first; none for an unknown app.
    func credentials(of app: AppID) async throws -> [Credential]

    func credential(_ id: CredentialID) async throws -> Credential?

    @discardableResult
    func removeCredential(_ id: CredentialID) async throws -> Bool
}

extension Credential {
    package init(stored row: StoredRow) throws {
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
    fileprivate init(stored row: StoredRow) throws {
        if let keyID = try row.text("key_id"), let teamID = try row.text("team_id") {
            self = .key(keyID: keyID, teamID: teamID)
        } else if let format = CertificateFormat(rawValue: try row.text("certificate_format") ?? "") {
            self = .certificate(format: format)
        } else {
            throw StoreError.damaged("credential")
        }
    }
}

/// The failing credentials, so that the beginning and the end of a failure are each reported once, by any process.
public protocol CredentialFailureStore: Sendable {
    /// Appends `credential.failed` unless the failure is recorded already; returns whether it was appended.
    @discardableResult
    func credentialFailed(_ trouble: CredentialFailure, now: Date) async throws -> Bool

    /// Appends `credential.recovered` if a failure was recorded; returns whether it was.
    @discardableResult
    func credentialRecovered(_ subject: CredentialFailure.Subject, now: Date) async throws -> Bool
}

extension CredentialFailure {
    package init(stored row: StoredRow, subject: Subject) throws {
        let cause: Cause =
            if let reason = try row.text("reason") {
                .rejected(RejectionReason(rawValue: reason))
            } else {
                .failed(FailureCode(rawValue: try row.text("code") ?? FailureCode.noCredential.rawValue))
            }
        self.init(subject: subject, cause: cause)
    }

    package var stored: (reason: String?, code: String?) {
        switch self.cause {
        case .rejected(let reason): (reason.rawValue, nil)
        case .failed(let code): (nil, code.rawValue)
        }
    }
}
