// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The provider keys that the simulator trusts, and the cached verification results of recent tokens.
///
/// Signature verification costs more than all other rules together, so it is done once per token, not once per request.
struct ProviderKeyRing: Sendable {
    /// The maximum number of cached verification results.
    ///
    /// When it is exceeded, the cache is cleared.
    private static let maximumVerdicts = 1024

    private var keys: [String: ProviderKey] = [:]
    private var verdicts: [[UInt8]: VerifiedProviderToken?] = [:]
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

/// Encoded as the keys in the order of their IDs; the cached results are not included.
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

/// A provider key that the simulator trusts, without its halves.
public struct TrustedKey: Sendable, Hashable {
    /// The key's identifier.
    public var keyID: String
    /// The team.
    public var teamID: String
    /// Where it may be used.
    public var environments: Set<APNsEnvironment>
    /// The topics that it may send to; `nil` is every topic of the team.
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

/// The apps of each team that has a set of apps.
///
/// A team that is not in the directory may push to every topic, so that a test need not assign apps to teams. A
/// connection uses the team's apps at the time of its first push: an app that was added later needs a new connection.
struct TeamDirectory: Sendable, Codable, Equatable {
    /// The permission of a connection for an app.
    enum Standing: Equatable {
        case allowed
        /// The app is not the team's.
        case foreign
        /// The app became the team's after the connection's first push.
        case addedLater
    }

    /// When each app of each team was added, counted in changes.
    private var teams: [String: [[UInt8]: Int]] = [:]
    /// How many changes there were.
    private(set) var revision = 0

    var isEmpty: Bool { self.teams.isEmpty }

    /// The teams whose apps are known, in the order of their names.
    var teamIDs: [String] { self.teams.keys.sorted() }

    /// The apps of a team, or `nil` if they are not known.
    func bundleIDs(of team: String) -> [String]? {
        self.teams[team].map { apps in apps.keys.map { String(decoding: $0, as: UTF8.self) }.sorted() }
    }

    /// Sets the apps of a team; existing ones keep their revision, and new ones are removed from any other team.
    mutating func setBundleIDs(_ bundleIDs: Set<String>, of team: String) {
        self.revision += 1
        let known = self.teams[team] ?? [:]
        var apps: [[UInt8]: Int] = [:]
        for bundleID in bundleIDs {
            let bytes = Array(bundleID.utf8)
            apps[bytes] = known[bytes] ?? self.revision
            for other in self.teams.keys where other != team { self.teams[other]?[bytes] = nil }
        }
        self.teams[team] = apps
    }

    /// Removes the set of apps of a team.
    ///
    /// Returns whether the team had one.
    mutating func remove(_ team: String) -> Bool {
        self.revision += 1
        return self.teams.removeValue(forKey: team) != nil
    }

    /// Counts changes on from another directory, in whose place this one comes: apps that it did not have are added
    /// now.
    mutating func succeed(_ older: TeamDirectory) {
        self.revision = older.revision + 1
        for (team, apps) in self.teams {
            for app in apps.keys { self.teams[team]?[app] = older.teams[team]?[app] ?? self.revision }
        }
    }

    /// The permission for an app of a connection that was bound at this revision.
    func standing(of bundleID: [UInt8], team: String, boundAt revision: Int) -> Standing {
        guard let apps = self.teams[team] else { return .allowed }
        guard let added = apps[bundleID] else { return .foreign }
        return added > revision ? .addedLater : .allowed
    }
}

/// A provider key with its private half, such as one downloads from Apple as a `.p8` file.
public struct SimulatorProviderKey: Sendable, Hashable {
    /// The key's identifier, 10 characters: `kid` of provider tokens.
    public var keyID: String
    /// The team, 10 characters: `iss` of provider tokens.
    public var teamID: String
    /// The private key: PKCS #8, PEM, P-256.
    ///
    /// A secret.
    public var p8: String

    /// A key that exists.
    public init(keyID: String, teamID: String, p8: String) {
        self.keyID = keyID
        self.teamID = teamID
        self.p8 = p8
    }

    /// A new key with random identifiers where none are given.
    static func make(keyID: String? = nil, teamID: String? = nil) -> SimulatorProviderKey {
        SimulatorProviderKey(
            keyID: keyID ?? self.randomIdentifier(),
            teamID: teamID ?? self.randomIdentifier(),
            p8: P256.Signing.PrivateKey().pemRepresentation + "\n"
        )
    }

    /// 10 digits and upper-case letters, as Apple's identifiers look.
    private static func randomIdentifier() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789")
        return String((0..<10).compactMap { _ in alphabet.randomElement() })
    }
}
