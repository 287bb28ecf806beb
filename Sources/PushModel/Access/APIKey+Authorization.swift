// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension APIKey {
    /// Why a key is refused.
    public enum Refusal: Hashable, Sendable, Error {
        /// The secret is not this key's.
        case wrongSecret

        /// The key was revoked at that time.
        case revoked(at: Date)

        /// The key is refused since that time.
        case expired(at: Date)

        /// The key lacks the scope.
        case missingScope(Scope)

        /// The key is bound to another app.
        case otherApp(bound: AppID)
    }

    /// Whether whoever presents `secret` is this key's holder and the key is still good.
    ///
    /// The comparison takes the same time wherever the secrets differ.
    /// - Parameters:
    ///   - secret: what the caller presented.
    ///   - now: the time of the call.
    /// - Returns: `nil` when the key is accepted, else why it is not.
    public func refusal(of secret: APIKeySecret, now: Date) -> Refusal? {
        guard secret.id == self.id, Self.areEqual(secret.hash, self.secretHash) else { return .wrongSecret }
        return self.refusal(now: now)
    }

    /// Whether the key is still good, whoever presents it.
    ///
    /// - Parameter now: the time of the call.
    /// - Returns: `nil` when it is, else why it is not.
    public func refusal(now: Date) -> Refusal? {
        if let revokedAt, revokedAt <= now { return .revoked(at: revokedAt) }
        if let expiresAt, expiresAt <= now { return .expired(at: expiresAt) }
        return nil
    }

    /// Whether an accepted key may do something.
    ///
    /// - Parameters:
    ///   - scope: what is to be done.
    ///   - app: the app it is to be done for; `nil` for what concerns all apps, which a bound key may not do.
    /// - Returns: `nil` when it may, else why it may not.
    public func refusal(to scope: Scope, app: AppID?) -> Refusal? {
        if let bound = self.app, bound != app { return .otherApp(bound: bound) }
        guard self.scopes.contains(scope) || self.scopes.contains(.admin) else { return .missingScope(scope) }
        return nil
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
