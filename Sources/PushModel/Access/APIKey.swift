// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// An API key, which authenticates a caller of the HTTP API, without its secret.
public struct APIKey: Hashable, Sendable {
    public let id: APIKeyID
    public var name: String
    public var scopes: Set<Scope>

    /// The only app that it may be used for; `nil` means every app.
    public var app: AppID?

    /// What it may do of that which its scopes allow; `nil` for all of it.
    ///
    /// On `/v1`, a key with a policy may use only routes that correspond to an action of SNS.
    public var policy: KeyPolicy?

    /// The addresses that it may be used from; empty for all.
    public var allowedAddresses: [AddressRange]

    /// The SHA-256 of the secret: 32 bytes.
    ///
    /// A secret has 256 random bits, so that no slow hash is needed.
    public let secretHash: [UInt8]

    /// The secret that signs requests to the SNS endpoint, sealed by `MasterKey.seal(_:for:)`; `nil` for a key that
    /// signs none.
    public let sealedSigningSecret: [UInt8]?

    /// When it was created; kept to the millisecond.
    public let createdAt: Date

    /// The key whose holder created it; `nil` if a command created it in the store.
    public var createdBy: APIKeyID?

    /// The time from which it is refused; `nil` means never.
    public var expiresAt: Date?

    /// Its successor, if it was rotated.
    public var replacedBy: APIKeyID?

    /// The time at which it was revoked; it is refused from then on.
    public var revokedAt: Date?

    /// The time of the last request with the key, as stored: up to a minute early; `nil` if none was recorded.
    public var lastUsedAt: Date?

    /// An IP address from which it was used within the minute before ``lastUsedAt``, if known.
    public var lastUsedAddress: String?

    public init(
        id: APIKeyID,
        name: String,
        scopes: Set<Scope>,
        app: AppID? = nil,
        policy: KeyPolicy? = nil,
        allowedAddresses: [AddressRange] = [],
        secretHash: [UInt8],
        sealedSigningSecret: [UInt8]? = nil,
        createdAt: Date,
        createdBy: APIKeyID? = nil,
        expiresAt: Date? = nil,
        replacedBy: APIKeyID? = nil,
        revokedAt: Date? = nil,
        lastUsedAt: Date? = nil,
        lastUsedAddress: String? = nil
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.app = app
        self.policy = policy
        self.allowedAddresses = allowedAddresses
        self.secretHash = secretHash
        self.sealedSigningSecret = sealedSigningSecret
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.replacedBy = replacedBy
        self.revokedAt = revokedAt
        self.lastUsedAt = lastUsedAt
        self.lastUsedAddress = lastUsedAddress
    }
}

extension APIKey {
    /// Why a key is refused.
    public enum Refusal: Hashable, Sendable, Error {
        case wrongSecret
        case revoked(at: Date)
        case expired(at: Date)
        case insufficientScope(Scope)
        case otherApp(bound: AppID)
        case addressNotAllowed
    }

    /// How long before its end the holder of a key is warned.
    public static let expiryWarning: TimeInterval = 14 * 24 * 3600

    /// When the key ends, if its holder must be warned of that now.
    public func expiryToWarn(now: Date) -> Date? {
        guard let expiresAt, expiresAt > now, expiresAt.timeIntervalSince(now) <= Self.expiryWarning else { return nil }
        return expiresAt
    }

    /// A key with the rights of this one and another secret.
    ///
    /// It ends when this one does, unless `expiresAt` says otherwise. An access key gets a sealed signing secret of its
    /// own.
    public func successor(
        _ id: APIKeyID,
        secretHash: [UInt8],
        sealedSigningSecret: [UInt8]?,
        createdBy: APIKeyID?,
        expiresAt: Date?,
        now: Date
    ) -> APIKey {
        APIKey(
            id: id,
            name: self.name,
            scopes: self.scopes,
            app: self.app,
            policy: self.policy,
            allowedAddresses: self.allowedAddresses,
            secretHash: secretHash,
            sealedSigningSecret: sealedSigningSecret,
            createdAt: now,
            createdBy: createdBy,
            expiresAt: expiresAt ?? self.expiresAt
        )
    }

    /// Why `secret` does not authenticate this key now; `nil` if the secret is correct and the key is valid.
    ///
    /// The comparison takes the same time regardless of where the secrets differ.
    public func refusal(of secret: APIKeySecret, now: Date) -> Refusal? {
        guard secret.id == self.id, secret.hasHash(self.secretHash) else { return .wrongSecret }
        return self.refusal(now: now)
    }

    /// Why the key is not valid now; `nil` if it is valid; the secret is not checked.
    public func refusal(now: Date) -> Refusal? {
        if let revokedAt, revokedAt <= now { return .revoked(at: revokedAt) }
        if let expiresAt, expiresAt <= now { return .expired(at: expiresAt) }
        return nil
    }

    /// Why the key may not be used from an address; `nil` if it may.
    ///
    /// A key with allowed addresses may not be used from an unknown one. The address is asked for only if it matters.
    package func refusal(from address: () -> NetworkAddress?) -> Refusal? {
        guard !self.allowedAddresses.isEmpty else { return nil }
        guard let address = address(), self.allowedAddresses.contains(where: { $0.contains(address) }) else {
            return .addressNotAllowed
        }
        return nil
    }

    /// Whether an accepted key may do something.
    ///
    /// `nil` for `app` means that the request concerns all apps. A key that is bound to an app may not make such a
    /// request.
    public func refusal(to scope: Scope, app: AppID?) -> Refusal? {
        if let bound = self.app, bound != app { return .otherApp(bound: bound) }
        guard self.scopes.contains(scope) || self.scopes.contains(.admin) else { return .insufficientScope(scope) }
        return nil
    }
}

/// One thing that an API key may do.
public enum Scope: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// Send notifications.
    case send

    /// Register, change and remove devices.
    case devices

    /// Start, update and end Live Activities.
    case activities

    /// Register the tokens of devices and activities, and nothing else: for keys inside apps.
    case client

    /// Create and steer campaigns.
    case campaigns

    /// Read everything but secrets.
    case read

    /// Manage apps, credentials and keys; includes every other scope.
    case admin

    public static func < (left: Scope, right: Scope) -> Bool { left.rawValue < right.rawValue }
}

/// The public half of an API key: it identifies the key and may appear in logs.
public struct APIKeyID: TextIdentifier {
    public static let field = "key"
    public static let rule = "1 to 32 lower-case letters and digits"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the ``rule``; an underscore would make the written form of a key ambiguous.
    public static func isValid(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: false
                }
            }
    }
}
