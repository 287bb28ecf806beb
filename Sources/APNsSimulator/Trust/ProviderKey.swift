// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

/// The public half of a provider key, and what it is trusted for.
struct ProviderKey: Sendable {
    /// What a key may send to.
    enum Scope: Sendable, Hashable {
        /// Every topic of the team.
        case team
        /// The topics named, and those that a push type derives from them.
        case topics(Set<[UInt8]>)
    }

    var keyID: String
    var teamID: String
    var publicKey: P256.Signing.PublicKey
    var scope: Scope = .team
    var environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases)
    /// The one key whose tokens may mix with this key's on a connection, for a key with topics.
    var relatedKeyID: String?

    /// Whether tokens of both keys may be used on one connection.
    func isRelated(to other: ProviderKey) -> Bool {
        if self.keyID == other.keyID { return true }
        switch (self.scope, other.scope) {
        case (.team, .team): return true
        case (.topics, .topics): return self.relatedKeyID == other.keyID || other.relatedKeyID == self.keyID
        default: return false
        }
    }

    /// Whether `signature` is this key's ES256 signature, as 64 bytes (RFC 7518 section 3.4) or in DER.
    func verifies(_ signature: [UInt8], of signed: ArraySlice<UInt8>) -> Bool {
        let digest = SHA256.hash(data: signed)
        if signature.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            self.publicKey.isValidSignature(raw, for: digest)
        {
            return true
        }
        guard let der = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return self.publicKey.isValidSignature(der, for: digest)
    }
}
