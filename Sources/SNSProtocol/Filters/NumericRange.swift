// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The numbers of a rule `numeric`.
struct NumericRange: Hashable, Sendable {
    private var lower = -Double.infinity
    private var upper = Double.infinity
    private var includesLower = true
    private var includesUpper = true

    /// The numbers that policies may name.
    static let bounds = -1e9...1e9

    /// Whether a number is one of them.
    func contains(_ number: Double) -> Bool {
        (self.includesLower ? number >= self.lower : number > self.lower)
            && (self.includesUpper ? number <= self.upper : number < self.upper)
    }

    /// Reads `["=", 1]`, `["<", 5]` or `[">=", 0, "<", 5]`.
    ///
    /// - Throws: ``FilterPolicyFault`` in SNS' words.
    init(_ value: JSONValue) throws(FilterPolicyFault) {
        guard case .array(let terms) = value else { throw FilterPolicyFault("Value of numeric must be an array.") }
        guard case .string(let first)? = terms.first else {
            throw FilterPolicyFault("Invalid member in numeric match: \(terms.first?.filterText ?? "]")")
        }
        guard ["=", "<", "<=", ">", ">="].contains(first) else {
            throw FilterPolicyFault("Unrecognized numeric range operator: \(first.cut)")
        }
        try self.apply(first, terms.dropFirst().first)
        guard terms.count > 2 else { return }
        guard first.hasPrefix(">") else { throw FilterPolicyFault("Too many elements in numeric expression") }
        guard case .string(let second) = terms[2] else {
            throw FilterPolicyFault("Bad value in numeric range: \(terms[2].filterText)")
        }
        guard second.hasPrefix("<"), ["<", "<="].contains(second) else {
            throw FilterPolicyFault("Bad numeric range operator: \(second.cut)")
        }
        try self.apply(second, terms.dropFirst(3).first)
        guard terms.count == 4 else { throw FilterPolicyFault("Too many terms in numeric range expression") }
        guard self.lower < self.upper else { throw FilterPolicyFault("Bottom must be less than top") }
    }

    private mutating func apply(_ name: String, _ term: JSONValue?) throws(FilterPolicyFault) {
        guard let number = term?.filterNumber else {
            throw FilterPolicyFault("Value of \(name == "=" ? "equals" : name) must be numeric")
        }
        try Self.check(number)
        switch name {
        case "=": (self.lower, self.upper) = (number, number)
        case "<", "<=":
            self.upper = number
            self.includesUpper = name == "<="
        default:
            self.lower = number
            self.includesLower = name == ">="
        }
    }

    /// - Throws: ``FilterPolicyFault`` for a number that policies may not name.
    static func check(_ number: Double) throws(FilterPolicyFault) {
        guard self.bounds.contains(number) else {
            throw FilterPolicyFault("Value must be between -1.0E9 and 1.0E9, inclusive")
        }
    }
}

extension JSONValue {
    /// The number, if it is one.
    var filterNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The value as SNS' errors repeat it.
    var filterText: String {
        switch self {
        case .null: "null"
        case .bool(let flag): String(flag)
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text.cut
        case .array: "["
        case .object: "{"
        }
    }
}
