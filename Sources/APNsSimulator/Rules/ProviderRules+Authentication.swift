// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// 3.
///
/// Authentication.
extension ProviderRules {
    /// How long a provider token is good for.
    ///
    /// Unit: seconds.
    private static let tokenLifetime: Double = 3600
    /// How far apart two changes of the provider token have to be on one connection.
    ///
    /// Unit: seconds.
    private static let tokenUpdateInterval: Double = 20 * 60

    func authenticate(
        _ request: RequestHead,
        trust: inout ConnectionTrust,
        world: inout World,
        now: Double
    ) throws(Refusal) {
        if trust.certificate != nil { return try self.checkCertificate(trust) }
        guard let field = request.value(.authorization) else { throw Refusal(.missingProviderToken) }
        guard let token = self.bearerToken(field) else { throw Refusal(.invalidProviderToken) }
        let isInUse = trust.holds(token)
        if let issuedAt = trust.token?.issuedAt, isInUse, trust.keysRevision == world.keys.revision {
            return try self.checkAge(issuedAt, now: now)
        }
        let acceptsQuoted = self.switches.quotedIssuedAt == .accept
        guard let verified = world.keys.verify(Array(token), acceptsQuotedIssuedAt: acceptsQuoted) else {
            throw Refusal(.invalidProviderToken)
        }
        try self.checkAge(verified.issuedAt, now: now)
        guard verified.key.environments.contains(self.environment) else {
            throw Refusal(self.switches.otherEnvironmentKey)
        }
        try self.checkBinding(verified, trust: trust)
        if isInUse { return trust.renew(verified, keysRevision: world.keys.revision) }
        // An update that lies ahead is from before the clock was put back.
        if let lastUpdate = trust.lastUpdate, (0..<Self.tokenUpdateInterval).contains(now - lastUpdate) {
            throw Refusal(.tooManyProviderTokenUpdates)
        }
        trust.adopt(
            verified,
            at: now,
            countsFirst: self.switches.countsFirstProviderToken,
            keysRevision: world.keys.revision,
            teamsRevision: world.teams.revision
        )
    }

    private func checkCertificate(_ trust: ConnectionTrust) throws(Refusal) {
        guard let certificate = trust.certificate, !certificate.environments.isEmpty, !certificate.topics.isEmpty else {
            throw Refusal(.badCertificate)
        }
        guard certificate.environments.contains(self.environment) else { throw Refusal(.badCertificateEnvironment) }
    }

    /// What follows the scheme `bearer`.
    private func bearerToken(_ field: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        let scheme: StaticString = "bearer "
        let length = scheme.utf8CodeUnitCount
        guard field.count > length else { return nil }
        if !field.hasPrefix(scheme) {
            guard self.switches.upperCaseBearer == .accept else { return nil }
            for index in 0..<length where field[index] | 0x20 != scheme.utf8Start[index] { return nil }
        }
        return UnsafeBufferPointer(rebasing: field[length...])
    }

    private func checkAge(_ issuedAt: Double, now: Double) throws(Refusal) {
        if now - issuedAt > Self.tokenLifetime { throw Refusal(.expiredProviderToken) }
        if issuedAt - now > Self.tokenLifetime, let reason = self.switches.futureProviderToken { throw Refusal(reason) }
    }

    private func checkBinding(_ token: VerifiedProviderToken, trust: ConnectionTrust) throws(Refusal) {
        guard let bound = trust.boundKey else { return }
        guard bound.teamID == token.key.teamID else { throw Refusal(self.switches.otherTeam) }
        guard bound.isRelated(to: token.key) else { throw Refusal(.unrelatedKeyIDInToken) }
    }
}

extension ConnectionTrust {
    /// Whether this is the provider token in use, byte for byte.
    func holds(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bytes = self.token?.bytes else { return false }
        return token.equals(bytes)
    }
}
