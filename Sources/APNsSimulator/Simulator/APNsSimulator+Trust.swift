// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Crypto

/// Keys and certificates, from Swift.
extension APNsSimulator {
    /// How many topics a key may have that is not for all of its team's.
    private static let maximumTopics = 400

    /// Creates a provider key and trusts it.
    ///
    /// - Parameters:
    ///   - keyID: 10 characters; `nil` generates one.
    ///   - teamID: 10 characters; `nil` generates one.
    ///   - environments: the valid environments of the key. Default: both.
    ///   - topics: the topics that the key may send to; `nil` is every topic of the team.
    ///   - relatedKeyID: the key whose tokens may mix with this one's on a connection, for keys with topics.
    /// - Returns: the key with its private half, which the simulator does not store.
    /// - Throws: ``APNsSimulatorError`` `invalidKey` if an ID does not have 10 characters.
    public func makeKey(
        keyID: String? = nil,
        teamID: String? = nil,
        environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases),
        topics: Set<String>? = nil,
        relatedKeyID: String? = nil
    ) throws(APNsSimulatorError) -> SimulatorProviderKey {
        let key = SimulatorProviderKey.make(keyID: keyID, teamID: teamID)
        try self.trust(
            pem: key.p8,
            keyID: key.keyID,
            teamID: key.teamID,
            environments: environments,
            topics: topics,
            relatedKeyID: relatedKeyID
        )
        return key
    }

    /// Trusts a provider key from now on; replaces a key with the same ID.
    ///
    /// - Parameters:
    ///   - pem: the key, private (`.p8`) or public; only its public half is stored.
    ///   - keyID: 10 characters.
    ///   - teamID: 10 characters.
    ///   - environments: the valid environments of the key. Default: both.
    ///   - topics: the topics that the key may send to; `nil` is every topic of the team.
    ///   - relatedKeyID: the key whose tokens may mix with this one's on a connection, for keys with topics.
    /// - Throws: ``APNsSimulatorError`` `invalidKey`.
    public func trust(
        pem: String,
        keyID: String,
        teamID: String,
        environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases),
        topics: Set<String>? = nil,
        relatedKeyID: String? = nil
    ) throws(APNsSimulatorError) {
        guard let publicKey = ProviderKey.publicKey(pem: pem) else {
            throw APNsSimulatorError(code: .invalidKey, message: "the PEM document contains no P-256 key")
        }
        guard keyID.utf8.count == 10, teamID.utf8.count == 10 else {
            throw APNsSimulatorError(code: .invalidKey, message: "key and team IDs have 10 characters")
        }
        guard (topics?.count ?? 0) <= Self.maximumTopics else {
            let message = "expected at most \(Self.maximumTopics) topics for a key, got \(topics?.count ?? 0)"
            throw APNsSimulatorError(code: .invalidKey, message: message)
        }
        let key = ProviderKey(
            keyID: keyID,
            teamID: teamID,
            publicKey: publicKey,
            scope: topics.map { .topics(Set($0.map { Array($0.utf8) })) } ?? .team,
            environments: environments,
            relatedKeyID: relatedKeyID
        )
        self.core.withWorld { $0.keys.add(key) }
    }

    /// Issues a push certificate that this simulator trusts.
    public func issueCertificate(_ request: PushCertificateRequest) throws -> IssuedCertificate {
        try self.credentials.authority.issuePush(request, now: self.configuration.clock.now())
    }

    /// Trusts a key no longer: its provider tokens are refused from now on, on connections that use them as well.
    ///
    /// - Returns: whether it was trusted.
    @discardableResult
    public func revokeKey(_ keyID: String) -> Bool {
        guard self.core.withWorld({ $0.keys.revoke(keyID) }) else { return false }
        if self.configuration.switches.connections.revocationDisconnects {
            self.core.connections.endThose(using: keyID, reason: .invalidProviderToken)
        }
        return true
    }

    /// The keys that are trusted, in the order of their identifiers.
    public var keys: [TrustedKey] { self.core.withWorld { $0.keys.all.map { TrustedKey($0) } } }

    /// Sets the apps of a team.
    ///
    /// A team without a set of apps may push to every topic. A connection uses the team's apps at the time of its first
    /// push: an app that is added later needs a new connection. An app has one team and is removed from any other.
    ///
    /// - Parameters:
    ///   - bundleIDs: the apps.
    ///   - team: the team, 10 characters.
    public func setBundleIDs(_ bundleIDs: Set<String>, ofTeam team: String) {
        self.core.withWorld { $0.teams.setBundleIDs(bundleIDs, of: team) }
    }

    /// Removes the set of apps of a team.
    ///
    /// - Returns: whether the team had one.
    @discardableResult
    public func forgetBundleIDs(ofTeam team: String) -> Bool {
        self.core.withWorld { $0.teams.remove(team) }
    }

    /// The apps of each team that has a set of apps.
    public var bundleIDs: [String: [String]] {
        self.core.withWorld { world in
            Dictionary(
                uniqueKeysWithValues: world.teams.teamIDs.map { ($0, world.teams.bundleIDs(of: $0) ?? []) }
            )
        }
    }
}
