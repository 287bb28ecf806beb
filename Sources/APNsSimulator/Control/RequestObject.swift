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
/// What nobody asked for is refused.
struct RequestObject {
    private var members: [String: JSONInput]
    private let path: String

    /// The object in a body.
    ///
    /// - Throws: ``ControlProblem`` `malformedJSON` or `wrongType`.
    init(_ body: some Collection<UInt8>) throws(ControlProblem) {
        let value: JSONInput
        do {
            value = try JSONDecoder().decode(JSONInput.self, from: Data(body))
        } catch {
            throw ControlProblem(.malformedJSON, detail: "the body is no JSON: \(Self.describe(error))")
        }
        try self.init(value, path: "")
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

    mutating func string(_ name: String) throws(ControlProblem) -> String? {
        guard let value = self.take(name) else { return nil }
        guard case .string(let string) = value else { throw self.wrongType(name, rule: "a string", value) }
        return string
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

    mutating func object(_ name: String) throws(ControlProblem) -> RequestObject? {
        guard let value = self.take(name) else { return nil }
        return try RequestObject(value, path: self.name(name))
    }

    /// A member that has to be there.
    func require<Value>(_ name: String, _ value: Value?) throws(ControlProblem) -> Value {
        guard let value else {
            throw ControlProblem(.missingField, field: self.name(name), rule: "to be present", value: "nothing")
        }
        return value
    }

    /// Refuses what was not taken out.
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

    private static func describe(_ error: any Error) -> String {
        guard case .dataCorrupted(let context)? = error as? DecodingError else { return "it cannot be parsed" }
        return context.debugDescription
    }
}
