// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A provider's signing key: the `.p8` file of an Apple developer account, its key id and its team id.
///
/// Two keys are equal when their ids and their public halves are.
public struct ProviderKey: Hashable, Sendable, CustomStringConvertible {
    /// The key's id: ten letters and digits.
    public let keyID: String
    /// The team's id: ten letters and digits.
    public let teamID: String
    let privateKey: P256.Signing.PrivateKey
    private let publicKey: [UInt8]

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - keyID: ten letters and digits, as Apple shows it beside the key.
    ///   - teamID: ten letters and digits, as Apple shows it for the account.
    ///   - pem: the content of the `.p8` file: a P-256 private key, PKCS#8 in PEM.
    /// - Throws: ``APNsClientError`` `invalidKey` or `invalidIdentifier`.
    public init(keyID: String, teamID: String, pem: String) throws(APNsClientError) {
        try Self.check(keyID, named: "key id")
        try Self.check(teamID, named: "team id")
        self.keyID = keyID
        self.teamID = teamID
        do {
            self.privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
            self.publicKey = Array(self.privateKey.publicKey.rawRepresentation)
        } catch {
            throw APNsClientError(
                code: .invalidKey,
                message: "the key \(keyID) is not a P-256 private key in PEM; use the .p8 file as Apple gave it",
                cause: error
            )
        }
    }

    private static func check(_ text: String, named name: String) throws(APNsClientError) {
        let isValid =
            text.utf8.count == ProviderTokenRule.identifierLength
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
        guard !isValid else { return }
        let length = ProviderTokenRule.identifierLength
        throw APNsClientError(
            code: .invalidIdentifier,
            message: "the \(name) \"\(text.prefix(20))\" is not \(length) letters and digits"
        )
    }

    /// Signs a provider token for a tool that sends requests by other means than this client.
    ///
    /// - Parameter now: the token's `iat`; APNs takes it for an hour.
    /// - Returns: the value of `authorization`: `bearer ` and the token.
    /// - Throws: ``APNsClientError`` `invalidKey` when signing fails.
    public func authorization(now: Date) throws(APNsClientError) -> String {
        String(decoding: try ProviderToken(key: self, now: now).headerValue, as: UTF8.self)
    }

    /// The ids; never the key.
    public var description: String { "key \(self.keyID) of team \(self.teamID)" }

    /// Whether both stand for the same key of the same team.
    public static func == (left: ProviderKey, right: ProviderKey) -> Bool {
        left.keyID == right.keyID && left.teamID == right.teamID && left.publicKey == right.publicKey
    }

    /// Hashes the ids.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.keyID)
        hasher.combine(self.teamID)
    }
}
