// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Provider keys.
extension ControlAPI {
    /// Trusts the key in `pem`, or creates one and returns its private half.
    func addKey(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let pem = try object.string("pem")
        let keyID = try Self.identifier("keyID", &object)
        let teamID = try Self.identifier("teamID", &object)
        let environments = try Self.environments(&object)
        guard !environments.isEmpty else {
            throw object.invalid("environments", rule: "one or both of sandbox and production", value: "none")
        }
        let topics = try Self.topics(&object)
        let relatedKeyID = try Self.identifier("relatedKeyID", &object)
        try object.finish()
        try self.checkKeyIDs(keyID, related: relatedKeyID)
        guard let pem else {
            let key = try self.simulator.makeKey(
                keyID: keyID,
                teamID: teamID,
                environments: environments,
                topics: topics,
                relatedKeyID: relatedKeyID
            )
            return Self.created(Self.output(key.keyID, key.teamID, p8: key.p8))
        }
        let (requiredKeyID, requiredTeamID) = (
            try object.require("keyID", keyID), try object.require("teamID", teamID)
        )
        do {
            try self.simulator.trust(
                pem: pem,
                keyID: requiredKeyID,
                teamID: requiredTeamID,
                environments: environments,
                topics: topics,
                relatedKeyID: relatedKeyID
            )
        } catch {
            throw object.invalid("pem", rule: "a P-256 key in PEM, private or public", value: "\(pem.utf8.count) bytes")
        }
        return Self.created(Self.output(requiredKeyID, requiredTeamID, p8: nil))
    }

    func listKeys() -> JSONOutput {
        let keys = self.simulator.keys.map { key in
            JSONOutput.object([
                ("keyID", .string(key.keyID)), ("teamID", .string(key.teamID)),
                ("environments", .array(key.environments.map(\.rawValue).sorted().map { .string($0) })),
                ("topics", key.topics.map { .array($0.map { .string($0) }) } ?? .null),
                ("relatedKeyID", .optional(key.relatedKeyID)),
            ])
        }
        return .object([("keys", .array(keys))])
    }

    func revokeKey(_ request: Request, _ context: Context) async throws -> Response {
        let keyID = try context.parameter("keyID")
        guard self.simulator.revokeKey(keyID) else { throw ControlProblem.notFound("key \(keyID.prefix(20))") }
        return Self.noContent()
    }

    private static func output(_ keyID: String, _ teamID: String, p8: String?) -> JSONOutput {
        var members: [(String, JSONOutput)] = [("keyID", .string(keyID)), ("teamID", .string(teamID))]
        if let p8 { members.append(("p8", .string(p8))) }
        return .object(members)
    }

    private static func identifier(
        _ name: String,
        _ object: inout JSONRequestBody
    ) throws(ControlProblem) -> String? {
        guard let text = try object.string(name) else { return nil }
        guard Self.isIdentifier(text) else {
            throw object.invalid(name, rule: "10 characters", value: "\(text.utf8.count) bytes")
        }
        return text
    }

    /// Whether a text is as long as Apple's identifiers of keys and teams.
    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Throws if the key ID is already used, or if the related key does not exist.
    private func checkKeyIDs(_ keyID: String?, related: String?) throws(ControlProblem) {
        let known = Set(self.simulator.keys.map(\.keyID))
        if let keyID, known.contains(keyID) {
            throw ControlProblem(.alreadyTaken, field: "keyID", rule: "an ID that no trusted key has", value: keyID)
        }
        if let related, !known.contains(related) {
            let rule = "the ID of a trusted key"
            throw ControlProblem(.invalidValue, field: "relatedKeyID", rule: rule, value: related)
        }
    }

    private static func topics(_ object: inout JSONRequestBody) throws(ControlProblem) -> Set<String>? {
        guard let topics = try object.strings("topics") else { return nil }
        guard !topics.isEmpty else {
            throw object.invalid(
                "topics",
                rule: "at least one topic; omit the member for all topics of the team",
                value: "none"
            )
        }
        for (index, topic) in topics.enumerated() { try Self.check(topic, field: "topics[\(index)]") }
        return Set(topics)
    }

    static func environments(_ object: inout JSONRequestBody) throws(ControlProblem) -> Set<APNsEnvironment> {
        guard let names = try object.strings("environments") else { return Set(APNsEnvironment.allCases) }
        var environments: Set<APNsEnvironment> = []
        for name in names {
            guard let environment = APNsEnvironment(rawValue: name) else {
                throw object.invalid("environments", rule: "sandbox or production", value: String(name.prefix(20)))
            }
            environments.insert(environment)
        }
        return environments
    }
}

/// Push certificates.
extension ControlAPI {
    /// The longest life of a certificate.
    ///
    /// Unit: days.
    private static let maximumDays = 3650

    /// Issues a certificate that the provider port trusts, with its private key; as a PKCS #12 file as well where a
    /// password is given.
    func issueCertificate(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let bundleID = try object.require("bundleID", try object.string("bundleID"))
        let topics = try object.strings("topics")
        let voipTopics = try object.strings("voipTopics") ?? []
        let environments = try Self.environments(&object)
        let lifetime = try Self.lifetime(&object)
        let password = try object.string("password")
        try object.finish()
        for topic in [bundleID] + (topics ?? []) + voipTopics { try Self.check(topic, field: "topics") }
        let issued = try self.simulator.issueCertificate(
            PushCertificateRequest(
                bundleID: bundleID,
                topics: topics?.map { PushCertificateRequest.ListedTopic($0, kind: Self.kind(of: $0)) },
                voipTopics: voipTopics,
                environments: environments,
                lifetime: lifetime
            )
        )
        var members = issued.members
        if let password {
            let file = try issued.pkcs12(name: "Apple Push Services: \(bundleID)", password: password)
            members.append(("p12", .string(Data(file).base64EncodedString())))
        }
        return Self.created(.object(members))
    }

    /// For how long a certificate is valid: 365 days by default; 0 or less creates an expired one.
    static func lifetime(_ object: inout JSONRequestBody) throws(ControlProblem) -> Duration {
        let days = try object.integer("validDays", in: -Self.maximumDays...Self.maximumDays) ?? 365
        return .seconds(days * 24 * 3600)
    }

    /// Apple's word for the kind of a topic in a certificate.
    private static func kind(of topic: String) -> String {
        switch topic.split(separator: ".").last {
        case "voip": "voip"
        case "complication": "complication"
        default: "app"
        }
    }
}

extension IssuedCertificate {
    var members: [(String, JSONOutput)] {
        [("certificatePEM", .string(self.certificatePEM)), ("privateKeyPEM", .string(self.privateKeyPEM))]
    }
}

/// Which apps belong to which team.
extension ControlAPI {
    func listTeams() -> JSONOutput {
        let teams = self.simulator.bundleIDs.sorted { $0.key < $1.key }
        return .object([("teams", .array(teams.map { Self.output(team: $0.key, bundleIDs: $0.value) }))])
    }

    func setTeam(_ request: Request, _ context: Context) async throws -> Response {
        let team = try context.identifier("teamID")
        var object = try await Self.body(request)
        let bundleIDs = try object.require("bundleIDs", try object.strings("bundleIDs"))
        try object.finish()
        for bundleID in bundleIDs { try Self.check(bundleID, field: "bundleIDs") }
        self.simulator.setBundleIDs(Set(bundleIDs), ofTeam: team)
        return Self.json(Self.output(team: team, bundleIDs: Set(bundleIDs).sorted()))
    }

    func forgetTeam(_ request: Request, _ context: Context) async throws -> Response {
        let team = try context.identifier("teamID")
        guard self.simulator.forgetBundleIDs(ofTeam: team) else {
            throw ControlProblem.notFound("team \(team.prefix(20)) with a set of apps")
        }
        return Self.noContent()
    }

    private static func output(team: String, bundleIDs: [String]) -> JSONOutput {
        .object([("teamID", .string(team)), ("bundleIDs", .array(bundleIDs.map { .string($0) }))])
    }
}
