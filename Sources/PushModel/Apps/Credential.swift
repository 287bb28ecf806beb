// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an app's notifications are authenticated with towards APNs.
public struct Credential: Hashable, Sendable {
    /// Names the credential.
    public let id: CredentialID

    /// The app whose notifications it sends.
    public let app: AppID

    /// A provider key or a certificate, with what is public about it.
    public var kind: CredentialKind

    /// The APNs environments in which it may be used; never empty in a store.
    public var environments: Set<APNsEnvironment>

    /// Where the private part is.
    public var secret: CredentialSecret

    /// When it was added; of two that fit, the younger is used.
    ///
    /// Kept to the millisecond.
    public let createdAt: Date

    /// Describes a credential.
    ///
    /// - Parameters:
    ///   - id: its name.
    ///   - app: the app whose notifications it sends.
    ///   - kind: a provider key or a certificate.
    ///   - environments: where it may be used; both environments unless said otherwise.
    ///   - secret: where the private part is.
    ///   - createdAt: when it was added.
    public init(
        id: CredentialID,
        app: AppID,
        kind: CredentialKind,
        environments: Set<APNsEnvironment> = [.sandbox, .production],
        secret: CredentialSecret,
        createdAt: Date
    ) {
        self.id = id
        self.app = app
        self.kind = kind
        self.environments = environments
        self.secret = secret
        self.createdAt = createdAt
    }
}
