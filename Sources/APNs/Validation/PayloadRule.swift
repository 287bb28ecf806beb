// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a value inside a payload has to be.
enum PayloadRule {
    /// A string.
    case string
    /// A string or an object.
    case stringOrObject
    /// An object.
    case object
    /// A list.
    case array
    /// A list of strings.
    case strings
    /// `true` or `false`.
    case bool
    /// 1, Apple's way of writing flags; 0 and booleans pass.
    case flag
    /// A whole number from 0 up.
    case count
    /// A number inside a range.
    case number(ClosedRange<Double>)
    /// Seconds since 1970: not milliseconds, and not before.
    case seconds

    /// What ``count`` asks, for the badge.
    static let badge = "a whole number, 0 or more"

    /// Any number.
    static let anyNumber = PayloadRule.number(-Double.infinity...Double.infinity)

    /// The rule as a phrase that follows "expected".
    var phrase: String {
        switch self {
        case .string: "a string"
        case .stringOrObject: "a string or an object"
        case .object: "an object"
        case .array: "a list"
        case .strings: "a list of strings"
        case .bool: "true or false"
        case .flag: "1"
        case .count: Self.badge
        case .number(let range) where range.upperBound == .infinity: "a number"
        case .number(let range):
            "\(JSONValue.double(range.lowerBound).brief)...\(JSONValue.double(range.upperBound).brief)"
        case .seconds: "seconds since 1970"
        }
    }

    /// Whether the value keeps the rule.
    func holds(for value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.stringOrObject, .string), (.stringOrObject, .object), (.object, .object),
            (.array, .array), (.bool, .bool), (.flag, .bool):
            true
        case (.strings, .array(let elements)): elements.allSatisfy { PayloadRule.string.holds(for: $0) }
        case (.flag, .integer(let number)): number == 0 || number == 1
        case (.count, .integer(let number)): number >= 0
        case (.number(let range), .integer(let number)): range.contains(Double(number))
        case (.number(let range), .double(let number)): range.contains(number)
        // Whoever writes milliseconds passes this bound, which lies in the year 5138.
        case (.seconds, .integer(let number)): (0..<100_000_000_000).contains(number)
        case (.seconds, .double(let number)): (0..<100_000_000_000).contains(number)
        default: false
        }
    }
}

extension JSONValue {
    /// The value for a failure: numbers and words as they are, everything else by its kind and size.
    var brief: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .string(let text): "a string of \(text.count) characters"
        case .array(let elements): "a list of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }
}
