// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension FilterRules {
    /// Compiles the rules of one name.
    ///
    /// - Throws: ``FilterPolicyFault`` in SNS' words.
    init(_ patterns: [JSONValue]) throws(FilterPolicyFault) {
        for pattern in patterns {
            switch pattern {
            case .string(let text): self.texts.insert(text)
            case .integer, .double:
                let number = pattern.filterNumber ?? 0
                try NumericRange.check(number)
                self.numbers.insert(number)
            case .bool, .null: self.words.insert(pattern)
            case .object(let members): try self.add(members)
            case .array:
                throw FilterPolicyFault("Match value must be String, number, true, false, or null")
            }
        }
    }

    private mutating func add(_ expression: [String: JSONValue]) throws(FilterPolicyFault) {
        guard expression.count <= 1 else { throw FilterPolicyFault("Only one key allowed in match expression") }
        guard let (name, value) = expression.first else { throw FilterPolicyFault("Unrecognized match type }") }
        switch name {
        case "prefix": self.prefixes.append(try Self.text(value, of: name))
        case "suffix": self.suffixes.append(try Self.text(value, of: name))
        case "equals-ignore-case": self.foldedTexts.insert(try Self.text(value, of: name).lowercased())
        // SNS says "prefix" here too.
        case "cidr": self.networks.append(try IPNetwork(try Self.text(value, of: "prefix")))
        case "numeric": self.ranges.append(try NumericRange(value))
        case "anything-but": self.exclusions.append(try FilterExclusion(value))
        case "exists":
            guard case .bool(let flag) = value else {
                throw FilterPolicyFault("exists match pattern must be either true or false.")
            }
            self.exists.insert(flag)
        default: throw FilterPolicyFault("Unrecognized match type \(name.cut)")
        }
    }

    fileprivate static func text(_ value: JSONValue, of name: String) throws(FilterPolicyFault) -> String {
        guard case .string(let text) = value else {
            throw FilterPolicyFault("\(name) match pattern must be a string")
        }
        return text
    }
}

extension FilterExclusion {
    /// Compiles a rule `anything-but`: a text, a number, a list of these, or `{"prefix": ...}`.
    fileprivate init(_ value: JSONValue) throws(FilterPolicyFault) {
        switch value {
        case .array(let elements):
            guard !elements.isEmpty else { throw FilterPolicyFault("Empty arrays are not allowed") }
            for element in elements { try self.add(element) }
        case .object(let members):
            guard members.count <= 1 else { throw FilterPolicyFault("Only one key allowed in match expression") }
            guard let prefix = members["prefix"] else {
                throw FilterPolicyFault("Unsupported anything-but pattern: \(members.keys.first?.cut ?? "}")")
            }
            self.prefix = try FilterRules.text(prefix, of: "prefix")
        default: try self.add(value)
        }
    }

    private mutating func add(_ element: JSONValue) throws(FilterPolicyFault) {
        switch element {
        case .string(let text): self.texts.insert(text)
        case .integer, .double:
            let number = element.filterNumber ?? 0
            try NumericRange.check(number)
            self.numbers.insert(number)
        default:
            throw FilterPolicyFault("Value of anything-but must be an array or single string/number value.")
        }
    }
}
