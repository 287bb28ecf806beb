// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A position in the JSON of a message of the proxy protocol.
struct ProxyMessageReader {
    var cursor: JSONCursor

    init(_ cursor: JSONCursor) {
        self.cursor = cursor
    }

    /// Reads an object; `member` gets the name of each member, and reads its value.
    mutating func object(_ path: String, _ member: (inout ProxyMessageReader, String) throws -> Void) throws {
        guard try self.cursor.kind() == .object else { throw ProxyFault(.invalid, "\(path): expected an object") }
        try self.cursor.enter()
        _ = self.cursor.take("{")
        if !self.cursor.take("}") {
            repeat {
                guard self.cursor.peek() == UInt8(ascii: "\"") else {
                    throw self.cursor.failure("expected a member's name")
                }
                let name = self.cursor.text(of: try self.cursor.passString())
                guard name.isStreamSafe else {
                    throw self.cursor.failure("a member's name with more than 30 combining marks in a row")
                }
                try self.cursor.expect(":", "after a member's name")
                try member(&self, name)
            } while self.cursor.take(",")
            try self.cursor.expect("}", "or ',' after a member")
        }
        self.cursor.leave()
    }

    /// Passes a `null`; returns whether there was one.
    mutating func skipNull() throws -> Bool {
        guard try self.cursor.kind() == .null else { return false }
        try self.cursor.skipValue()
        return true
    }

    mutating func string(_ path: String) throws -> JSONCursor.PassedString {
        guard try self.cursor.kind() == .string else { throw ProxyFault(.invalid, "\(path): expected a string") }
        return try self.cursor.passString()
    }

    mutating func text(_ path: String) throws -> String {
        let string = try self.string(path)
        let text = string.content.count <= 256 ? self.cursor.text(of: string) : ""
        guard !text.isEmpty, text.isStreamSafe else {
            throw ProxyFault(.invalid, "\(path): expected a string of 1 to 256 bytes")
        }
        return text
    }

    /// Reads a boolean, for which Python also writes 0 and 1; `null` is false.
    mutating func flag(_ path: String) throws -> Bool {
        switch try self.cursor.kind() {
        case .boolean: return try self.cursor.passBoolean()
        case .null: return try !self.skipNull()
        case .number:
            let number = try self.wholeNumber(path)
            if let number, (0...1).contains(number) { return number == 1 }
        default: break
        }
        throw ProxyFault(.invalid, "\(path): expected true or false")
    }

    /// Reads a number, rounded down, as Python's `time.time()` has a fraction; `nil` for `null`.
    mutating func wholeNumber(_ path: String) throws -> Int64? {
        if try self.skipNull() { return nil }
        guard try self.cursor.kind() == .number else { throw ProxyFault(.invalid, "\(path): expected a number") }
        let digits = String(decoding: self.cursor.bytes[try self.cursor.passNumber()], as: UTF8.self)
        if let number = Int64(digits) { return number }
        guard let number = Double(digits).flatMap({ Int64(exactly: $0.rounded(.down)) }) else {
            throw ProxyFault(.invalid, "\(path): expected a number of at most 64 bits")
        }
        return number
    }
}

extension ProxyMessageReader {
    /// Copies the alert, unless it is empty; returns whether it was copied.
    mutating func copyAlert(to writer: inout JSONWriter) throws -> Bool {
        guard try self.cursor.kind() == .object else {
            return try self.copyFilled("alert", orObject: false, to: &writer)
        }
        var isEmpty = true
        try self.object("aps.alert") { reader, name in
            if try reader.skipNull() { return }
            if isEmpty {
                writer.key("alert")
                writer.beginObject()
                isEmpty = false
            }
            writer.key(name.replacing("_", with: "-"))
            try reader.copyValue(to: &writer)
        }
        if !isEmpty { writer.endObject() }
        return !isEmpty
    }

    /// Copies a member of `aps` whose value is a string, or an object where that is allowed, unless it is empty.
    ///
    /// - Returns: whether it was copied.
    mutating func copyFilled(
        _ name: String,
        orObject isObjectAllowed: Bool,
        to writer: inout JSONWriter
    ) throws -> Bool {
        let kind = try self.cursor.kind()
        guard kind == .string || kind == .object && isObjectAllowed else {
            throw ProxyFault(.invalid, "aps.\(name): expected a string")
        }
        var ahead = self.cursor
        if kind == .string, try ahead.passString().content.isEmpty {
            self.cursor = ahead
            return false
        }
        writer.key(name)
        try self.copyValue(to: &writer)
        return true
    }

    /// Copies the members of an object that was passed before, to the root of the payload.
    func copyMembers(of object: Range<Int>, to writer: inout JSONWriter) throws {
        var reader = ProxyMessageReader(JSONCursor(self.cursor.bytes, in: object))
        try reader.object("aps.custom") { reader, name in
            guard name != "aps" else { throw ProxyFault(.invalid, "aps.custom: expected members other than aps") }
            writer.key(name)
            try reader.copyValue(to: &writer)
        }
    }

    private mutating func copyValue(to writer: inout JSONWriter) throws {
        switch try self.cursor.kind() {
        case .object:
            writer.beginObject()
            try self.object("") { reader, name in
                writer.key(name)
                try reader.copyValue(to: &writer)
            }
            writer.endObject()
        case .array:
            try self.cursor.enter()
            _ = self.cursor.take("[")
            writer.beginArray()
            if !self.cursor.take("]") {
                repeat { try self.copyValue(to: &writer) } while self.cursor.take(",")
                try self.cursor.expect("]", "or ',' after an element")
            }
            writer.endArray()
            self.cursor.leave()
        case .string:
            let start = self.cursor.offset
            let string = try self.cursor.passString()
            if string.hasEscapes {
                writer.string(self.cursor.text(of: string))
            } else {
                writer.raw(self.cursor.bytes[start..<self.cursor.offset])
            }
        case .number, .boolean, .null:
            let value = try self.cursor.skipValue()
            writer.raw(self.cursor.bytes[value])
        }
    }
}
