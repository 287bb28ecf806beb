// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A provider key that the simulator trusts, without its halves.
public struct TrustedKey: Sendable, Hashable {
    /// The key's identifier.
    public var keyID: String
    /// The team.
    public var teamID: String
    /// Where it may be used.
    public var environments: Set<APNsEnvironment>
    /// What it may send to; `nil` is every topic of the team.
    public var topics: [String]?
    /// The key whose tokens may mix with its own on a connection.
    public var relatedKeyID: String?

    init(_ key: ProviderKey) {
        self.keyID = key.keyID
        self.teamID = key.teamID
        self.environments = key.environments
        if case .topics(let topics) = key.scope {
            self.topics = topics.map { String(decoding: $0, as: UTF8.self) }.sorted()
        }
        self.relatedKeyID = key.relatedKeyID
    }
}
