// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Written with the public key in the form of X9.63.
extension ProviderKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case keyID, teamID, publicKey, topics, environments, relatedKeyID
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let point = try container.decode(Data.self, forKey: .publicKey)
        guard let publicKey = try? P256.Signing.PublicKey(x963Representation: point) else {
            throw DecodingError.dataCorruptedError(
                forKey: .publicKey,
                in: container,
                debugDescription: "expected a P-256 key"
            )
        }
        let topics = try container.decodeIfPresent([String].self, forKey: .topics)
        self.init(
            keyID: try container.decode(String.self, forKey: .keyID),
            teamID: try container.decode(String.self, forKey: .teamID),
            publicKey: publicKey,
            scope: topics.map { .topics(Set($0.map { Array($0.utf8) })) } ?? .team,
            environments: try container.decode(Set<APNsEnvironment>.self, forKey: .environments),
            relatedKeyID: try container.decodeIfPresent(String.self, forKey: .relatedKeyID)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.keyID, forKey: .keyID)
        try container.encode(self.teamID, forKey: .teamID)
        try container.encode(self.publicKey.x963Representation, forKey: .publicKey)
        if case .topics(let topics) = self.scope {
            try container.encode(topics.map { String(decoding: $0, as: UTF8.self) }.sorted(), forKey: .topics)
        }
        try container.encode(self.environments, forKey: .environments)
        try container.encodeIfPresent(self.relatedKeyID, forKey: .relatedKeyID)
    }
}

/// The public half of a provider key, and its permissions.
struct ProviderKey: Sendable {
    /// The topics that a key may send to.
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

extension ProviderKey {
    /// The public half of a key that the simulator created.
    init(_ key: SimulatorProviderKey) throws {
        let privateKey = try P256.Signing.PrivateKey(pemRepresentation: key.p8)
        self.init(keyID: key.keyID, teamID: key.teamID, publicKey: privateKey.publicKey)
    }

    /// The public key in a PEM document, given itself or with its private half; `nil` if there is no P-256 key in it.
    static func publicKey(pem: String) -> P256.Signing.PublicKey? {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) { return key }
        return (try? P256.Signing.PrivateKey(pemRepresentation: pem))?.publicKey
    }
}
