// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
public import Foundation

/// A browser that signed in to the console with an API key.
///
/// It represents the key for a limited time, without the key's secret. The browser keeps it as a signed text in a
/// cookie, so every server with the same master key accepts it, and the store has no sessions.
public struct ConsoleSession: Hashable, Sendable {
    /// The number of seconds after the last renewal at which a session ends.
    public static let idleLifetime: TimeInterval = 8 * 3600

    /// The number of seconds after the sign-in at which a session ends, regardless of renewals.
    public static let lifetime: TimeInterval = 24 * 3600

    private static let purpose = "apus console session"

    public let key: APIKeyID
    public let startedAt: Date
    public let renewedAt: Date

    public init(key: APIKeyID, startedAt: Date) {
        self.init(key: key, startedAt: startedAt, renewedAt: startedAt)
    }

    private init(key: APIKeyID, startedAt: Date, renewedAt: Date) {
        self.key = key
        self.startedAt = startedAt
        self.renewedAt = renewedAt
    }

    public var expiresAt: Date {
        min(self.startedAt + Self.lifetime, self.renewedAt + Self.idleLifetime)
    }

    public func isValid(now: Date) -> Bool { now < self.expiresAt && self.startedAt <= now + 60 }

    public func renewed(now: Date) -> ConsoleSession {
        ConsoleSession(key: self.key, startedAt: self.startedAt, renewedAt: now)
    }

    /// The signed text: key ID, two times in milliseconds since 1970, and a code, separated by points.
    public func text(masterKey: MasterKey) -> String? {
        guard let signingKey = masterKey.derivedKeys(for: Self.purpose).first else { return nil }
        let content = "\(self.key).\(self.startedAt.millisecondsSince1970).\(self.renewedAt.millisecondsSince1970)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(content.utf8), using: SymmetricKey(data: signingKey))
        return "\(content).\(Hex.text(code))"
    }

    /// Reads a signed text, without a check of the times; `nil` if no key of the master key signed it.
    public init?(text: String, masterKey: MasterKey) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 4, let id = APIKeyID(rawValue: String(parts[0])),
            let startedAt = Int64(parts[1]), let renewedAt = Int64(parts[2]), let code = Hex.bytes(parts[3].utf8)
        else { return nil }
        let content = Data(parts[0..<3].joined(separator: ".").utf8)
        let isSigned = masterKey.derivedKeys(for: Self.purpose).contains { key in
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: SymmetricKey(data: key))
        }
        guard isSigned else { return nil }
        self.init(
            key: id,
            startedAt: Date(millisecondsSince1970: startedAt),
            renewedAt: Date(millisecondsSince1970: renewedAt)
        )
    }
}
