// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Written as the keys in the order of their identifiers; verdicts on tokens are made anew.
extension ProviderKeyRing: Codable {
    init(from decoder: any Decoder) throws {
        self.init()
        for key in try decoder.singleValueContainer().decode([ProviderKey].self) { self.add(key) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.all)
    }
}

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
