// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Which messages of a topic a subscription wants, compiled once and then held against each message.
///
/// Names are joined by "and", the rules of one name by "or". See
/// <https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html>.
package struct FilterPolicy: Hashable, Sendable {
    /// The part of a message that a policy matches.
    package enum Scope: String, Hashable, Sendable, CaseIterable {
        /// The message's attributes.
        case messageAttributes = "MessageAttributes"
        /// The message itself, which has to be a JSON object.
        case messageBody = "MessageBody"
    }

    package let scope: Scope
    let root: FilterNode

    /// Compiles a policy.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(json text: String, scope: Scope, limits: SNSLimits, at place: AttributeLocation) throws(SNSError) {
        guard text.utf8.count <= limits.filterPolicyBytes else {
            throw place.error("FilterPolicy: Filter policy is too long: at most \(limits.filterPolicyBytes) bytes")
        }
        do throws(FilterPolicyError) {
            let value = try FilterPolicyCompiler.parse(text)
            let compiler = FilterPolicyCompiler(scope: scope)
            var root = FilterNode()
            let combinations = try compiler.compile(value, into: &root, limits: limits)
            guard combinations <= limits.filterPolicyCombinations else {
                throw FilterPolicyError("Filter policy is too complex")
            }
            self.scope = scope
            self.root = root
        } catch {
            throw place.error(error.isAboutScope ? error.text : "FilterPolicy: \(error.text)")
        }
    }

    package func matches(_ message: FilterableMessage) -> Bool {
        switch self.scope {
        case .messageAttributes: self.root.matches(message.attributes)
        case .messageBody: message.body.map(self.root.matches) ?? false
        }
    }
}

/// Why a policy is refused.
struct FilterPolicyError: Error {
    let text: String
    /// Whether the value would be valid in the other scope.
    var isAboutScope = false

    init(_ text: String, isAboutScope: Bool = false) {
        self.text = text
        self.isAboutScope = isAboutScope
    }
}

/// A compiled filter policy, or the part of one below a name: all that it asks for has to hold.
struct FilterNode: Hashable, Sendable {
    /// The rules of values by name.
    var rules: [String: [FilterRules]] = [:]
    /// The conditions of nested objects by name.
    var children: [String: FilterNode] = [:]
    /// Choices: of each one part has to hold.
    var choices: [[FilterNode]] = []

    func matches(_ values: FilterValues) -> Bool {
        self.rules.allSatisfy { name, rules in
            let field = values.field(name)
            return rules.allSatisfy { $0.match(field) }
        }
            && self.children.allSatisfy { name, node in values.objects(name).contains(where: node.matches) }
            && self.choices.allSatisfy { parts in parts.contains { $0.matches(values) } }
    }
}

/// A message made ready for the filter policies of many subscriptions.
package struct FilterableMessage: Sendable {
    let attributes: FilterValues
    /// The body's values; `nil` when it is no JSON object, which no policy on the body matches.
    let body: FilterValues?

    /// Pass `nil` as the body if no policy looks at it; this saves reading it.
    package init(attributes: [String: MessageAttribute], body: String?) {
        self.attributes = FilterValues(attributes)
        guard let body, case .object(let members)? = try? JSONValue(json: Array(body.utf8)) else {
            self.body = nil
            return
        }
        self.body = FilterValues(members)
    }
}

/// Compiles the JSON of a filter policy into its rules.
struct FilterPolicyCompiler {
    /// The name that represents a choice.
    private static let choice = "$or"

    let scope: FilterPolicy.Scope

    static func parse(_ text: String) throws(FilterPolicyError) -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue(json: Array(text.utf8))
        } catch {
            throw FilterPolicyError("failed to parse JSON. \(error.message)")
        }
        guard case .object(let members) = value else {
            throw FilterPolicyError("failed to parse JSON. Filter policy must be an object")
        }
        return members
    }

    /// Compiles a whole policy.
    ///
    /// - Returns: the number of combinations that SNS limits.
    func compile(
        _ policy: [String: JSONValue],
        into root: inout FilterNode,
        limits: SNSLimits
    ) throws(FilterPolicyError) -> Int {
        guard policy.count <= limits.filterPolicyNames else {
            throw FilterPolicyError("Filter policy can not have more than \(limits.filterPolicyNames) keys")
        }
        return try self.compile(policy, into: &root, at: Place())
    }

    /// The position of an object in a policy.
    private struct Place {
        /// How many objects there are from the policy to this one.
        var depth = 1

        /// The number of names that lead to it; one with dots counts as several.
        var level = 0

        /// The place below a name.
        func below(_ parts: [String]) -> Place { Place(depth: self.depth + 1, level: self.level + parts.count) }
    }

    /// Compiles an object of names.
    ///
    /// - Returns: the product over its names of their numbers of values, each times its depth; a choice counts as the
    ///   sum of its parts.
    private func compile(
        _ members: [String: JSONValue],
        into node: inout FilterNode,
        at place: Place
    ) throws(FilterPolicyError) -> Int {
        var combinations = 1
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let factor: Int
            if name == Self.choice {
                factor = try self.compileChoice(value, into: &node, at: place)
            } else {
                factor = try self.compile(value, named: name, into: &node, at: place)
            }
            combinations = combinations.multipliedClamping(by: factor)
        }
        return combinations
    }

    private func compileChoice(
        _ value: JSONValue,
        into node: inout FilterNode,
        at place: Place
    ) throws(FilterPolicyError) -> Int {
        guard case .array(let parts) = value, parts.count >= 2 else {
            throw FilterPolicyError("\"\(Self.choice)\" must be an array of two or more objects")
        }
        var choice: [FilterNode] = []
        var sum = 0
        for part in parts {
            guard case .object(let members) = part, !members.isEmpty else {
                throw FilterPolicyError("\"\(Self.choice)\" must be an array of two or more objects with rules")
            }
            var branch = FilterNode()
            sum.add(clamping: try self.compile(members, into: &branch, at: place))
            choice.append(branch)
        }
        node.choices.append(choice)
        return sum
    }

    private func compile(
        _ value: JSONValue,
        named name: String,
        into node: inout FilterNode,
        at place: Place
    ) throws(FilterPolicyError) -> Int {
        // Names of attributes may have dots; in a body a dot leads one level down.
        let parts = self.scope == .messageBody ? FilterPath.parts(of: name) : [name]
        guard place.level + parts.count <= FilterPath.maximumLevels else {
            throw FilterPolicyError("Filter policy is nested too deep: at most \(FilterPath.maximumLevels) levels")
        }
        switch value {
        case .array(let patterns):
            guard !patterns.isEmpty else { throw FilterPolicyError("Empty arrays are not allowed") }
            let rules = try FilterRules(patterns)
            self.add(rules, at: parts[...], to: &node)
            return patterns.count * place.depth
        case .object(let members):
            guard !members.isEmpty else { throw FilterPolicyError("Empty objects are not allowed") }
            // First, because SNS reports an invalid rule before the nesting.
            let combinations = try self.compile(members, below: parts[...], of: &node, at: place.below(parts))
            guard self.scope == .messageBody else {
                throw FilterPolicyError(
                    "Filter policy scope MessageAttributes does not support nested filter policy",
                    isAboutScope: true
                )
            }
            return combinations
        default: throw FilterPolicyError("\"\(name.cut)\" must be an object or an array")
        }
    }

    private func compile(
        _ members: [String: JSONValue],
        below path: ArraySlice<String>,
        of node: inout FilterNode,
        at place: Place
    ) throws(FilterPolicyError) -> Int {
        guard let first = path.first else { return 1 }
        // Taken out, so that it is not copied for each name that leads below it.
        var child = node.children.removeValue(forKey: first) ?? FilterNode()
        let rest = path.dropFirst()
        let combinations =
            try rest.isEmpty
            ? self.compile(members, into: &child, at: place)
            : self.compile(members, below: rest, of: &child, at: place)
        node.children[first] = child
        return combinations
    }

    private func add(_ rules: FilterRules, at path: ArraySlice<String>, to node: inout FilterNode) {
        guard let first = path.first else { return }
        if path.count == 1 {
            node.rules[first, default: []].append(rules)
        } else {
            self.add(rules, at: path.dropFirst(), to: &node.children[first, default: FilterNode()])
        }
    }
}

/// Names with dots in policies on bodies and in bodies: `a.b` is the same as `b` below `a`.
enum FilterPath {
    /// The maximum number of parts of a name; a name with more is not split, so that nesting is bounded.
    static let maximumParts = 16

    /// The maximum number of levels of names in a policy; deeper values of a message are not read.
    ///
    /// Each level is a level of recursion, and the stack of a worker thread may have no more than 512 KiB.
    static let maximumLevels = 128

    static func hasDot(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: ".")) }

    /// The parts of a name: one or more.
    static func parts(of name: String) -> [String] {
        guard self.hasDot(name) else { return [name] }
        let parts = name.split(separator: ".", maxSplits: self.maximumParts)
        return (2...self.maximumParts).contains(parts.count) ? parts.map(String.init) : [name]
    }
}
