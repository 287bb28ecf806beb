// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Crypto

/// Keys and certificates, from Swift.
extension APNsSimulator {
    /// Makes a provider key and trusts it.
    ///
    /// - Parameters:
    ///   - keyID: 10 characters; `nil` makes one up.
    ///   - teamID: 10 characters; `nil` makes one up.
    ///   - environments: where the key may be used. Default: both.
    ///   - topics: what the key may send to; `nil` is every topic of the team.
    ///   - relatedKeyID: the key whose tokens may mix with this one's on a connection, for keys with topics.
    /// - Returns: the key with its private half, which is kept nowhere else.
    /// - Throws: ``APNsSimulatorError`` `invalidKey` if an identifier has not 10 characters.
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

    /// Trusts a provider key from now on, in the place of one with the same identifier.
    ///
    /// - Parameters:
    ///   - pem: the key, private (`.p8`) or public; only its public half is kept.
    ///   - keyID: 10 characters.
    ///   - teamID: 10 characters.
    ///   - environments: where the key may be used. Default: both.
    ///   - topics: what the key may send to; `nil` is every topic of the team.
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
            throw APNsSimulatorError(code: .invalidKey, message: "the PEM document holds no P-256 key")
        }
        guard keyID.utf8.count == 10, teamID.utf8.count == 10 else {
            throw APNsSimulatorError(code: .invalidKey, message: "key and team identifiers have 10 characters")
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
}
