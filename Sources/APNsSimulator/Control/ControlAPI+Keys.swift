// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Provider keys.
extension ControlAPI {
    /// Trusts the key in `pem`, or makes one and says its private half.
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
        _ object: inout RequestObject
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

    /// A key has an identifier of its own, and goes with a key that there is.
    private func checkKeyIDs(_ keyID: String?, related: String?) throws(ControlProblem) {
        let known = Set(self.simulator.keys.map(\.keyID))
        if let keyID, known.contains(keyID) {
            throw ControlProblem(.alreadyTaken, field: "keyID", rule: "the identifier of no trusted key", value: keyID)
        }
        if let related, !known.contains(related) {
            let rule = "the identifier of a trusted key"
            throw ControlProblem(.invalidValue, field: "relatedKeyID", rule: rule, value: related)
        }
    }

    private static func topics(_ object: inout RequestObject) throws(ControlProblem) -> Set<String>? {
        guard let topics = try object.strings("topics") else { return nil }
        guard !topics.isEmpty else {
            throw object.invalid("topics", rule: "one topic or more; left out for all of the team's", value: "none")
        }
        for (index, topic) in topics.enumerated() { try Self.check(topic, field: "topics[\(index)]") }
        return Set(topics)
    }

    static func environments(_ object: inout RequestObject) throws(ControlProblem) -> Set<APNsEnvironment> {
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
