// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AttributesSchema {
    /// The reason why a value cannot be decoded, as a `DecodingError` would state it.
    struct Mismatch: Error, Hashable, Sendable {
        /// The coding path, with the name that decoding began with: `content-state.driver.name`.
        var path: String
        var expected: String
        var found: String

        var message: String { "\(self.path): expected \(self.expected), got \(self.found)" }
    }

    /// Seconds from 1970 to 2001, the reference of Foundation's dates.
    private static let referenceDate: Double = 978_307_200
    /// How far off a date has to be before it looks like one of the other epoch.
    ///
    /// Unit: seconds.
    private static let suspiciousDistance: Double = 20 * 365.25 * 24 * 3600

    /// Decodes a value by the default strategies, in the order of the properties' names.
    ///
    /// Members without a property are ignored. `now` is in seconds since 1970.
    ///
    /// - Returns: warnings about values that were decoded but look wrong: dates in seconds since 1970.
    /// - Throws: the first mismatch.
    @discardableResult
    func decode(_ value: JSONValue, path: String, now: Double) throws(Mismatch) -> [String] {
        switch self {
        case .any: return []
        case .string:
            guard case .string = value else { throw Self.mismatch(path, "a string", value) }
        case .boolean:
            guard case .bool = value else { throw Self.mismatch(path, "true or false", value) }
        case .integer(let kind): try kind.decode(value, path: path)
        case .number:
            guard value.number != nil else { throw Self.mismatch(path, "a number", value) }
        case .date: return try Self.decodeDate(value, path: path, now: now)
        case .data:
            guard case .string(let text) = value else { throw Self.mismatch(path, "data as a base64 string", value) }
            guard Data(base64Encoded: text) != nil else {
                throw Mismatch(path: path, expected: "data as a base64 string", found: "a string that is not base64")
            }
        case .url:
            guard case .string(let text) = value else { throw Self.mismatch(path, "a URL string", value) }
            guard URL(string: text) != nil else {
                throw Mismatch(path: path, expected: "a URL string", found: "a string that is not a URL")
            }
        case .uuid:
            guard case .string(let text) = value else { throw Self.mismatch(path, "a UUID string", value) }
            guard UUID(uuidString: text) != nil else {
                throw Mismatch(path: path, expected: "a UUID string", found: "a string that is not a UUID")
            }
        case .enumeration(let cases):
            let expected = "one of \(cases.joined(separator: ", "))"
            guard case .string(let name) = value else { throw Self.mismatch(path, expected, value) }
            guard cases.contains(name) else {
                throw Mismatch(path: path, expected: expected, found: "\"\(name.prefix(40))\"")
            }
        case .variant(let cases): return try Self.decodeVariant(value, cases: cases, path: path, now: now)
        case .array(let items):
            guard case .array(let elements) = value else { throw Self.mismatch(path, "an array", value) }
            var hints: [String] = []
            for (index, element) in elements.enumerated() {
                hints += try items.decode(element, path: "\(path)[\(index)]", now: now)
            }
            return hints
        case .dictionary(let values):
            guard case .object(let members) = value else { throw Self.mismatch(path, "an object", value) }
            var hints: [String] = []
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                hints += try values.decode(member, path: "\(path).\(name)", now: now)
            }
            return hints
        case .object(let properties): return try Self.decode(properties, of: value, path: path, now: now)
        }
        return []
    }

    private static func decode(
        _ properties: [String: Member],
        of value: JSONValue,
        path: String,
        now: Double
    ) throws(Mismatch) -> [String] {
        guard case .object(let members) = value else { throw Self.mismatch(path, "an object", value) }
        var hints: [String] = []
        for (name, property) in properties.sorted(by: { $0.key < $1.key }) {
            let member = members[name] ?? .null
            if property.isOptional, member == .null { continue }
            guard members[name] != nil else {
                throw Mismatch(path: "\(path).\(name)", expected: property.shape.phrase, found: "no such key")
            }
            hints += try property.shape.decode(member, path: "\(path).\(name)", now: now)
        }
        return hints
    }

    private static func decodeVariant(
        _ value: JSONValue,
        cases: [String: [String: Member]],
        path: String,
        now: Double
    ) throws(Mismatch) -> [String] {
        let expected = "an object with one key of \(cases.keys.sorted().joined(separator: ", "))"
        guard case .object(let members) = value else { throw Self.mismatch(path, expected, value) }
        let known = members.filter { cases[$0.key] != nil }
        guard known.count == 1, let (name, values) = known.first, let properties = cases[name] else {
            throw Mismatch(path: path, expected: expected, found: "\(known.count) of them")
        }
        return try Self.decode(properties, of: values, path: "\(path).\(name)", now: now)
    }

    private static func decodeDate(_ value: JSONValue, path: String, now: Double) throws(Mismatch) -> [String] {
        guard let seconds = value.number else {
            throw Self.mismatch(path, "a date as a number of seconds since 2001-01-01 00:00 UTC", value)
        }
        guard (seconds + Self.referenceDate - now).magnitude > Self.suspiciousDistance,
            (seconds - now).magnitude < Self.suspiciousDistance
        else { return [] }
        // The format has four digits for a year.
        let decoded = min(seconds + Self.referenceDate, SimulatorTimeRange.latest)
        let date = Date(timeIntervalSince1970: decoded).formatted(.iso8601)
        return ["\(path) is \(date): it was probably sent as seconds since 1970, but is decoded as seconds since 2001"]
    }

    private static func mismatch(_ path: String, _ expected: String, _ value: JSONValue) -> Mismatch {
        Mismatch(path: path, expected: expected, found: value.kind)
    }

    /// The expected type, for the message about a missing key.
    private var phrase: String {
        switch self {
        case .string: "a string"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .date: "a date as a number of seconds since 2001-01-01 00:00 UTC"
        case .data: "data as a base64 string"
        case .url: "a URL string"
        case .uuid: "a UUID string"
        case .any: "a value"
        case .enumeration(let cases): "one of \(cases.joined(separator: ", "))"
        case .variant, .dictionary, .object: "an object"
        case .array: "an array"
        }
    }
}

extension AttributesSchema.IntegerKind {
    /// A number with a fraction of zero counts as an integer, as Foundation has it.
    fileprivate func decode(_ value: JSONValue, path: String) throws(AttributesSchema.Mismatch) {
        let whole: Int64? =
            switch value {
            case .integer(let number): number
            case .double(let number): Int64(exactly: number)
            default: nil
            }
        if let whole, self.holds(whole) { return }
        if self == .unsigned, case .double(let number) = value, UInt64(exactly: number) != nil { return }
        let found = value.number.map { "the number \($0)" } ?? value.kind
        throw AttributesSchema.Mismatch(path: path, expected: "an integer (\(self.rawValue))", found: found)
    }
}

extension JSONValue {
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
