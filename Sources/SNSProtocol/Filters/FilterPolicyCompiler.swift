// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Turns the JSON of a filter policy into what messages are held against.
struct FilterPolicyCompiler {
    /// What stands for a choice where names stand.
    private static let choice = "$or"

    let scope: FilterPolicy.Scope

    /// Reads the text of a policy.
    static func parse(_ text: String) throws(FilterPolicyFault) -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue(json: Array(text.utf8))
        } catch {
            throw FilterPolicyFault("failed to parse JSON. \(error.message)")
        }
        guard case .object(let members) = value else {
            throw FilterPolicyFault("failed to parse JSON. Filter policy must be an object")
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
    ) throws(FilterPolicyFault) -> Int {
        guard policy.count <= limits.filterPolicyNames else {
            throw FilterPolicyFault("Filter policy can not have more than \(limits.filterPolicyNames) keys")
        }
        return try self.compile(policy, into: &root, depth: 1)
    }

    /// Compiles an object of names.
    ///
    /// - Returns: the product over its names of their numbers of values, each times its depth; a choice counts as the
    ///   sum of its parts.
    private func compile(
        _ members: [String: JSONValue],
        into node: inout FilterNode,
        depth: Int
    ) throws(FilterPolicyFault) -> Int {
        var combinations = 1
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let factor: Int
            if name == Self.choice {
                factor = try self.compileChoice(value, into: &node, depth: depth)
            } else {
                factor = try self.compile(value, named: name, into: &node, depth: depth)
            }
            let (product, overflow) = combinations.multipliedReportingOverflow(by: factor)
            combinations = overflow ? .max : product
        }
        return combinations
    }

    private func compileChoice(
        _ value: JSONValue,
        into node: inout FilterNode,
        depth: Int
    ) throws(FilterPolicyFault) -> Int {
        guard case .array(let parts) = value, parts.count >= 2 else {
            throw FilterPolicyFault("\"\(Self.choice)\" must be an array of two or more objects")
        }
        var choice: [FilterNode] = []
        var sum = 0
        for part in parts {
            guard case .object(let members) = part, !members.isEmpty else {
                throw FilterPolicyFault("\"\(Self.choice)\" must be an array of two or more objects with rules")
            }
            var branch = FilterNode()
            let (next, overflow) = sum.addingReportingOverflow(try self.compile(members, into: &branch, depth: depth))
            sum = overflow ? .max : next
            choice.append(branch)
        }
        node.choices.append(choice)
        return sum
    }

    private func compile(
        _ value: JSONValue,
        named name: String,
        into node: inout FilterNode,
        depth: Int
    ) throws(FilterPolicyFault) -> Int {
        switch value {
        case .array(let patterns):
            guard !patterns.isEmpty else { throw FilterPolicyFault("Empty arrays are not allowed") }
            let rules = try FilterRules(patterns)
            // Names of attributes may have dots; in a body a dot leads one level down.
            self.add(rules, at: self.scope == .messageBody ? FilterPath.parts(of: name)[...] : [name], to: &node)
            return patterns.count * depth
        case .object(let members):
            guard self.scope == .messageBody else {
                throw FilterPolicyFault(
                    "Filter policy scope MessageAttributes does not support nested filter policy",
                    isAboutScope: true
                )
            }
            guard !members.isEmpty else { throw FilterPolicyFault("Empty objects are not allowed") }
            return try self.compile(members, at: FilterPath.parts(of: name)[...], of: &node, depth: depth + 1)
        default: throw FilterPolicyFault("\"\(name.cut)\" must be an object or an array")
        }
    }

    private func compile(
        _ members: [String: JSONValue],
        at path: ArraySlice<String>,
        of node: inout FilterNode,
        depth: Int
    ) throws(FilterPolicyFault) -> Int {
        guard let first = path.first else { return try self.compile(members, into: &node, depth: depth) }
        var child = node.children[first] ?? FilterNode()
        let combinations = try self.compile(members, at: path.dropFirst(), of: &child, depth: depth)
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
