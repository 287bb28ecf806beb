// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A policy that limits an API key to actions of SNS on resources: the subset of the policy language of AWS IAM without
/// conditions.
///
/// A statement has `Effect`, `Action` and `Resource`, and may have a `Sid`. An action is allowed if a statement allows
/// it and none denies it. Names of actions are compared without regard to case. `*` stands for any text and `?` for any
/// character.
public struct KeyPolicy: Hashable, Sendable {
    /// The longest policy, in bytes of JSON.
    public static let maximumBytes = 10_240

    /// What a policy says about an action.
    public enum Decision: Hashable, Sendable {
        case allowed

        /// No statement allows it.
        case notAllowed

        /// A statement denies it.
        case denied
    }

    /// A resource in the form of an ARN: `arn:<partition>:sns:<region>:<account>:<name>`.
    public struct Resource: Hashable, Sendable {
        /// `nil` for a call of `/v1`, which names neither partition nor region: the resource is in all of them.
        fileprivate let partition: String?
        fileprivate let region: String?
        fileprivate let account: String
        fileprivate let name: String

        /// `name` is `*` for an action on all resources.
        public init(partition: String? = nil, region: String? = nil, account: String, name: String = "*") {
            self.partition = partition
            self.region = region
            self.account = account
            self.name = name
        }
    }

    private struct Statement: Hashable {
        let allows: Bool
        let actions: [String]

        /// The six parts of an ARN, or none for `*`.
        let resources: [[String]]
    }

    private let statements: [Statement]

    /// The policy as JSON.
    public let json: JSONValue

    /// Reads a policy.
    ///
    /// - Throws: `InvalidValueError` with the first element that is invalid or not supported.
    public init(json: JSONValue) throws(InvalidValueError) {
        let top = try Self.members(json, "policy", among: ["Version", "Id", "Statement"])
        if let version = top["Version"], version != "2012-10-17", version != "2008-10-17" {
            throw Self.fault("Version", "'2012-10-17' or '2008-10-17'", version)
        }
        guard let list = top["Statement"] else { throw Self.fault("Statement", "at least one statement", nil) }
        let elements = if case .array(let elements) = list { elements } else { [list] }
        guard !elements.isEmpty else { throw Self.fault("Statement", "at least one statement", list) }
        var statements: [Statement] = []
        for (index, element) in elements.enumerated() {
            let path = if case .array = list { "Statement[\(index)]" } else { "Statement" }
            statements.append(try Self.statement(element, path))
        }
        self.statements = statements
        self.json = json
        guard try json.json().count <= Self.maximumBytes else {
            throw InvalidValueError(field: "policy", rule: "at most \(Self.maximumBytes) bytes", value: "a longer one")
        }
    }

    /// Decides about an action, such as `Publish`.
    public func decision(on action: String, of resource: Resource) -> Decision {
        let name = "sns:\(action)".lowercased()
        // A caller chooses the region, and all regions share their resources: a denial for one holds in each.
        let anywhere = Resource(account: resource.account, name: resource.name)
        let matching = self.statements.filter { statement in
            let resource = statement.allows ? resource : anywhere
            return statement.actions.contains { Self.matches($0, name) }
                && statement.resources.contains { Self.matches($0, resource) }
        }
        if matching.contains(where: { !$0.allows }) { return .denied }
        return matching.isEmpty ? .notAllowed : .allowed
    }
}

extension KeyPolicy {
    private static func statement(_ json: JSONValue, _ path: String) throws(InvalidValueError) -> Statement {
        let members = try self.members(json, path, among: ["Sid", "Effect", "Action", "Resource"])
        let effect = members["Effect"]
        guard effect == "Allow" || effect == "Deny" else {
            throw self.fault("\(path).Effect", "'Allow' or 'Deny'", effect)
        }
        let actions = try self.texts(members["Action"], "\(path).Action")
        for action in actions where action != "*" && !action.contains(":") {
            throw self.fault("\(path).Action", "names such as 'sns:Publish'", .string(action))
        }
        var resources: [[String]] = []
        for text in try self.texts(members["Resource"], "\(path).Resource") {
            guard text != "*" else {
                resources.append([])
                continue
            }
            var parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
            guard parts.count > 1, parts[0] == "arn" else {
                throw self.fault("\(path).Resource", "ARNs or '*'", .string(text))
            }
            // AWS completes an ARN with fewer parts by wildcards.
            while parts.count < 6 { parts.append("*") }
            resources.append(parts)
        }
        return Statement(allows: effect == "Allow", actions: actions.map { $0.lowercased() }, resources: resources)
    }

    private static func members(
        _ json: JSONValue,
        _ path: String,
        among names: [String]
    ) throws(InvalidValueError) -> [String: JSONValue] {
        guard case .object(let members) = json else { throw self.fault(path, "an object", json) }
        if let unknown = members.keys.sorted().first(where: { !names.contains($0) }) {
            let name = String(unknown.unicodeScalars.prefix(64))
            throw InvalidValueError(
                field: path == "policy" ? name : "\(path).\(name)",
                rule: "one of the elements \(names.joined(separator: ", "))",
                value: "an element that is not supported"
            )
        }
        return members
    }

    /// One text, or an array of at least one.
    private static func texts(_ json: JSONValue?, _ path: String) throws(InvalidValueError) -> [String] {
        let elements = if case .array(let elements) = json { elements } else { json.map { [$0] } ?? [] }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element, !text.isEmpty else { throw self.fault(path, "texts", element) }
            texts.append(text)
        }
        guard !texts.isEmpty else { throw self.fault(path, "a text or an array of texts", json) }
        return texts
    }

    private static func fault(_ path: String, _ rule: String, _ found: JSONValue?) -> InvalidValueError {
        let value =
            switch found {
            case .string(let text)?: "'\(String(text.unicodeScalars.prefix(64)))'"
            case let found?: found.kind
            case nil: "nothing"
            }
        return InvalidValueError(field: path, rule: rule, value: value)
    }
}

extension KeyPolicy {
    private static func matches(_ pattern: [String], _ resource: Resource) -> Bool {
        guard pattern.count == 6 else { return true }
        // A resource in all regions matches each of them.
        let parts = ["arn", resource.partition, "sns", resource.region, resource.account, resource.name]
        return zip(pattern, parts).allSatisfy { pattern, part in part.map { self.matches(pattern, $0) } ?? true }
    }

    /// Whether a text matches a pattern with `*` and `?`, in time proportional to the product of their lengths.
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let (pattern, text) = (Array(pattern.unicodeScalars), Array(text.unicodeScalars))
        var (place, index) = (0, 0)
        // The place after the last `*`, and the end of the text that it stands for.
        var star: (place: Int, index: Int)?
        while index < text.count {
            if place < pattern.count, pattern[place] == "*" {
                place += 1
                star = (place, index)
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == text[index] {
                place += 1
                index += 1
            } else if let last = star {
                index = last.index + 1
                place = last.place
                star = (place, index)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
