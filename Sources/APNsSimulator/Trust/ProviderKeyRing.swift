// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The provider keys that the simulator trusts, and the verdicts on tokens seen lately.
///
/// A signature check costs more than all other rules together, so one is made for each token, not for each request.
struct ProviderKeyRing: Sendable {
    /// How many verdicts are kept.
    ///
    /// Beyond, all are forgotten and made anew.
    private static let maximumVerdicts = 1024

    private var keys: [String: ProviderKey] = [:]
    private var verdicts: [[UInt8]: VerifiedProviderToken?] = [:]

    /// How many signatures were checked.
    private(set) var verifications = 0
    /// How many changes of keys there were: a connection's provider token is looked at again after each.
    private(set) var revision = 0

    /// Every key, in the order of identifiers.
    var all: [ProviderKey] { self.keys.values.sorted { $0.keyID < $1.keyID } }

    /// Trusts a key from now on, in the place of one with the same identifier.
    mutating func add(_ key: ProviderKey) {
        self.keys[key.keyID] = key
        self.verdicts.removeAll()
        self.revision += 1
    }

    /// Trusts a key no longer.
    ///
    /// Returns whether it was trusted.
    mutating func revoke(_ keyID: String) -> Bool {
        guard self.keys.removeValue(forKey: keyID) != nil else { return false }
        self.verdicts.removeAll()
        self.revision += 1
        return true
    }

    /// Counts changes on from another ring, in whose place this one comes.
    mutating func succeed(_ older: ProviderKeyRing) { self.revision = max(self.revision, older.revision) + 1 }

    /// The key with this identifier.
    func key(_ keyID: String) -> ProviderKey? { self.keys[keyID] }

    /// The token if it is well-formed and signed by a trusted key of its team; `nil` otherwise.
    ///
    /// Age and environment are not looked at: they are judged at each use.
    mutating func verify(_ token: [UInt8], acceptsQuotedIssuedAt: Bool) -> VerifiedProviderToken? {
        if let verdict = self.verdicts[token] { return verdict }
        let verdict = self.check(token, acceptsQuotedIssuedAt: acceptsQuotedIssuedAt)
        if self.verdicts.count >= Self.maximumVerdicts { self.verdicts.removeAll() }
        self.verdicts[token] = .some(verdict)
        return verdict
    }

    private mutating func check(_ token: [UInt8], acceptsQuotedIssuedAt: Bool) -> VerifiedProviderToken? {
        guard let parsed = ParsedProviderToken(token, acceptsQuotedIssuedAt: acceptsQuotedIssuedAt),
            let key = self.keys[parsed.keyID], key.teamID == parsed.teamID
        else { return nil }
        self.verifications += 1
        guard key.verifies(parsed.signature, of: parsed.signed) else { return nil }
        return VerifiedProviderToken(bytes: token, key: key, issuedAt: parsed.issuedAt)
    }
}
