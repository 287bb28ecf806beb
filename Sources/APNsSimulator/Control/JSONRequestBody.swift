// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON object in the body of a control request, read member by member.
///
/// Members that the route does not read are rejected.
struct JSONRequestBody {
    private var members: [String: JSONInput]
    private let path: String

    /// Parses the object in a body.
    ///
    /// - Throws: ``ControlProblem`` `malformedJSON` or `wrongType`, or `invalidValue` for a duplicate member.
    init(_ body: some Collection<UInt8>) throws(ControlProblem) {
        try self.init(try JSONInputReader.value(of: Array(body)), path: "")
    }

    private init(_ value: JSONInput, path: String) throws(ControlProblem) {
        guard case .object(let members) = value else {
            throw ControlProblem(.wrongType, field: path.isEmpty ? "body" : path, rule: "an object", value: value.kind)
        }
        self.members = members
        self.path = path
    }

    /// A member, taken out; JSON's null counts as absent.
    private mutating func take(_ name: String) -> JSONInput? {
        guard let value = self.members.removeValue(forKey: name) else { return nil }
        if case .null = value { return nil }
        return value
    }

    /// A JSON object with any members.
    mutating func json(_ name: String) throws(ControlProblem) -> JSONValue? {
        guard let value = self.take(name) else { return nil }
        guard case .object = value else { throw self.wrongType(name, rule: "an object", value) }
        return value.json
    }

    /// A moment: RFC 3339 text, or seconds since 1970.
    mutating func date(_ name: String) throws(ControlProblem) -> Date? {
        guard let value = self.take(name) else { return nil }
        let rule = "a time in RFC 3339 format or in seconds since 1970"
        switch value {
        case .integer(let seconds): return try self.moment(Double(seconds), name: name, rule: rule)
        case .number(let seconds): return try self.moment(seconds, name: name, rule: rule)
        case .string(let text):
            let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
            for style in styles { if let date = try? style.parse(text) { return date } }
            throw self.invalid(name, rule: rule, value: String(text.prefix(40)))
        default: throw self.wrongType(name, rule: rule, value)
        }
    }

    /// A moment within the years that a calendar can write.
    private func moment(_ seconds: Double, name: String, rule: String) throws(ControlProblem) -> Date {
        guard SimulatorTimeRange.range.contains(seconds) else {
            throw self.invalid(name, rule: rule, value: "\(seconds)")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    mutating func string(_ name: String) throws(ControlProblem) -> String? {
        guard let value = self.take(name) else { return nil }
        guard case .string(let string) = value else { throw self.wrongType(name, rule: "a string", value) }
        return string
    }

    /// A string that is one of an enumeration's.
    mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ name: String,
        _: Value.Type
    ) throws(ControlProblem) -> Value? where Value.RawValue == String {
        guard let text = try self.string(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let rule = "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.invalid(name, rule: rule, value: String(text.prefix(20)))
        }
        return value
    }

    mutating func bool(_ name: String) throws(ControlProblem) -> Bool? {
        guard let value = self.take(name) else { return nil }
        guard case .bool(let bool) = value else { throw self.wrongType(name, rule: "true or false", value) }
        return bool
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(ControlProblem) -> Int? {
        guard let value = self.take(name) else { return nil }
        let rule = "an integer of \(range.lowerBound)...\(range.upperBound)"
        guard case .integer(let integer) = value else { throw self.wrongType(name, rule: rule, value) }
        guard range.contains(integer) else { throw self.invalid(name, rule: rule, value: "\(integer)") }
        return integer
    }

    mutating func number(_ name: String, in range: ClosedRange<Double>) throws(ControlProblem) -> Double? {
        guard let value = self.take(name) else { return nil }
        let rule = "a number of \(range.lowerBound)...\(range.upperBound)"
        let number: Double
        switch value {
        case .integer(let integer): number = Double(integer)
        case .number(let double): number = double
        default: throw self.wrongType(name, rule: rule, value)
        }
        guard range.contains(number) else { throw self.invalid(name, rule: rule, value: "\(number)") }
        return number
    }

    mutating func strings(_ name: String) throws(ControlProblem) -> [String]? {
        guard let value = self.take(name) else { return nil }
        let rule = "an array of strings"
        guard case .array(let elements) = value else { throw self.wrongType(name, rule: rule, value) }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let string) = element else {
                throw self.wrongType("\(name)[\(index)]", rule: "a string", element)
            }
            strings.append(string)
        }
        return strings
    }

    mutating func objects(_ name: String) throws(ControlProblem) -> [JSONRequestBody]? {
        guard let value = self.take(name) else { return nil }
        guard case .array(let elements) = value else { throw self.wrongType(name, rule: "an array of objects", value) }
        var objects: [JSONRequestBody] = []
        for (index, element) in elements.enumerated() {
            objects.append(try JSONRequestBody(element, path: self.name("\(name)[\(index)]")))
        }
        return objects
    }

    func has(_ name: String) -> Bool { self.members[name] != nil }

    mutating func object(_ name: String) throws(ControlProblem) -> JSONRequestBody? {
        guard let value = self.take(name) else { return nil }
        return try JSONRequestBody(value, path: self.name(name))
    }

    func require<Value>(_ name: String, _ value: Value?) throws(ControlProblem) -> Value {
        guard let value else {
            throw ControlProblem(.missingField, field: self.name(name), rule: "to be present", value: "nothing")
        }
        return value
    }

    /// Rejects the members that were not read.
    func finish() throws(ControlProblem) {
        guard let name = self.members.keys.sorted().first else { return }
        throw ControlProblem(.unknownField, field: self.name(name), rule: "no such field", value: "one")
    }

    /// A member has the right type and a wrong value.
    func invalid(_ name: String, rule: String, value: String) -> ControlProblem {
        ControlProblem(.invalidValue, field: self.name(name), rule: rule, value: value)
    }

    private func wrongType(_ name: String, rule: String, _ value: JSONInput) -> ControlProblem {
        ControlProblem(.wrongType, field: self.name(name), rule: rule, value: value.kind)
    }

    private func name(_ name: String) -> String { self.path.isEmpty ? name : "\(self.path).\(name)" }
}

/// A JSON value that came in.
enum JSONInput {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONInput])
    case object([String: JSONInput])

    /// The parsed value; a number without a fraction is an integer in any notation.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(Int(value))
        case .double(let value): self = Int(exactly: value).map { .integer($0) } ?? .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { JSONInput($0) })
        case .object(let members): self = .object(members.mapValues { JSONInput($0) })
        }
    }

    /// The value in the simulator's JSON type.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(Int64(value))
        case .number(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.json))
        case .object(let members): .object(members.mapValues(\.json))
        }
    }

    /// The name of the JSON type for error messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
