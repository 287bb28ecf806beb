// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// The credentials by which apps are sent for.
public protocol CredentialStore: Sendable {
    /// Adds a credential to its app.
    ///
    /// - Throws: ``StoreError`` `.notFound` when there is no such app, `.conflict` when there is a credential of
    ///   that id, `.invalid` when it has no environment.
    func addCredential(_ credential: Credential) async throws

    /// An app's credentials, the youngest first; none for an app that does not exist.
    func credentials(of app: AppID) async throws -> [Credential]

    /// The credential of that id, or `nil`.
    func credential(_ id: CredentialID) async throws -> Credential?

    /// Removes a credential.
    ///
    /// - Returns: whether there was such a credential.
    @discardableResult
    func removeCredential(_ id: CredentialID) async throws -> Bool
}
