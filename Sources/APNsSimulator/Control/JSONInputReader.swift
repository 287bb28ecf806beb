// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Parses JSON text (RFC 8259) into values; rejects an object with a duplicate name, because one value would be lost.
struct JSONInputReader {
    /// Unit: bytes.
    private static let longestPath = 400

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses the text.
    ///
    /// - Throws: ``ControlProblem`` `malformedJSON`, or `invalidValue` for a duplicate name.
    static func value(of bytes: [UInt8]) throws(ControlProblem) -> JSONInput {
        do {
            try JSONScanner.validate(bytes)
        } catch {
            throw self.malformed(error)
        }
        var reader = JSONInputReader(bytes)
        return try reader.value(at: "")
    }

    private static func malformed(_ fault: JSONError) -> ControlProblem {
        ControlProblem(.malformedJSON, field: "body", rule: "JSON (RFC 8259)", value: fault.message)
    }

    // The methods below rely on valid JSON.

    private mutating func value(at path: String) throws(ControlProblem) -> JSONInput {
        self.skipSpace()
        switch self.bytes[self.position] {
        case UInt8(ascii: "{"): return .object(try self.members(at: path))
        case UInt8(ascii: "["): return .array(try self.elements(at: path))
        default: return try self.scalar()
        }
    }

    private mutating func members(at path: String) throws(ControlProblem) -> [String: JSONInput] {
        var members: [String: JSONInput] = [:]
        while self.entersNext(closing: UInt8(ascii: "}")) {
            guard case .string(let name) = try self.scalar() else { break }
            let member = Self.path(path, path.isEmpty ? "\(name.prefix(40))" : ".\(name.prefix(40))")
            self.skipSpace()
            self.position += 1
            guard members.updateValue(try self.value(at: member), forKey: name) == nil else {
                throw ControlProblem(.invalidValue, field: member, rule: "once in its object", value: "more than once")
            }
        }
        return members
    }

    private mutating func elements(at path: String) throws(ControlProblem) -> [JSONInput] {
        var elements: [JSONInput] = []
        while self.entersNext(closing: UInt8(ascii: "]")) {
            elements.append(try self.value(at: Self.path(path, "[\(elements.count)]")))
        }
        return elements
    }

    /// The path of a part, truncated after some levels: every value has a path, and the deepest values have the
    /// longest.
    private static func path(_ path: String, _ part: String) -> String {
        path.utf8.count < self.longestPath ? path + part : path
    }

    /// Moves past a bracket or a comma to the next entry, or past the end; returns whether there is an entry.
    private mutating func entersNext(closing: UInt8) -> Bool {
        self.skipSpace()
        let isEnd = self.bytes[self.position] == closing
        self.position += 1
        guard !isEnd else { return false }
        self.skipSpace()
        // Only an empty container has its closing bracket directly after the opening one.
        guard self.bytes[self.position] == closing else { return true }
        self.position += 1
        return false
    }

    private mutating func scalar() throws(ControlProblem) -> JSONInput {
        let start = self.position
        if self.bytes[start] == UInt8(ascii: "\"") { self.skipString() } else { self.skipWord() }
        do {
            return JSONInput(try JSONValue(json: Array(self.bytes[start..<self.position])))
        } catch {
            throw Self.malformed(JSONError(error.code, offset: start + error.offset))
        }
    }

    private mutating func skipString() {
        self.position += 1
        while self.bytes[self.position] != UInt8(ascii: "\"") {
            self.position += self.bytes[self.position] == UInt8(ascii: "\\") ? 2 : 1
        }
        self.position += 1
    }

    private mutating func skipWord() {
        while self.position < self.bytes.count {
            switch self.bytes[self.position] {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return
            default: self.position += 1
            }
        }
    }

    private mutating func skipSpace() {
        while self.position < self.bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(self.bytes[self.position]) {
            self.position += 1
        }
    }
}
