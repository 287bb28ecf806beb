// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A key by which a caller of the HTTP API is known, without its secret.
public struct APIKey: Hashable, Sendable {
    /// The public half of the key.
    public let id: APIKeyID

    /// What people call it.
    public var name: String

    /// What it may do.
    public var scopes: Set<Scope>

    /// The only app that it may be used for; `nil` means every app.
    public var app: AppID?

    /// The SHA-256 of the secret: 32 bytes.
    ///
    /// A secret has 256 random bits, so that no slow hash is needed.
    public let secretHash: [UInt8]

    /// The secret that signs requests to the SNS endpoint, sealed by `MasterKey.seal(_:for:)`; `nil` for a key that
    /// signs none.
    public let sealedSigningSecret: [UInt8]?

    /// When it was created; kept to the millisecond.
    public let createdAt: Date

    /// The time from which it is refused; `nil` means never.
    public var expiresAt: Date?

    /// The time at which it was revoked; it is refused from then on.
    public var revokedAt: Date?

    /// Describes a key.
    ///
    /// - Parameters:
    ///   - id: its public half.
    ///   - name: what people call it.
    ///   - scopes: what it may do.
    ///   - app: the only app that it may be used for, or `nil`.
    ///   - secretHash: the SHA-256 of the secret, 32 bytes; see ``APIKeySecret/hash``.
    ///   - sealedSigningSecret: the sealed secret that signs requests to the SNS endpoint, or `nil`.
    ///   - createdAt: when it was created.
    ///   - expiresAt: the time from which it is refused, or `nil`.
    ///   - revokedAt: the time at which it was revoked, or `nil`.
    public init(
        id: APIKeyID,
        name: String,
        scopes: Set<Scope>,
        app: AppID? = nil,
        secretHash: [UInt8],
        sealedSigningSecret: [UInt8]? = nil,
        createdAt: Date,
        expiresAt: Date? = nil,
        revokedAt: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.app = app
        self.secretHash = secretHash
        self.sealedSigningSecret = sealedSigningSecret
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }
}
