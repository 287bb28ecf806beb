// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A JSON value, for the custom keys of a payload.
///
/// Its encoding is deterministic: the members of an object are ordered by the UTF-8 bytes of their names.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// Any other number; a payload refuses one that is not finite.
    case double(Double)
    /// Text.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Named values.
    case object([String: JSONValue])

    /// The value of a member of an object, or nil if there is none or this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }

    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A list of values.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Named values; the last one of a name counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// Parses JSON; of members with the same name, the last one counts.
    ///
    /// A whole number beyond 64 bits becomes a double.
    /// - Throws: ``JSONError`` with the byte offset.
    public init(json: [UInt8]) throws(JSONError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(JSONError) in
            var cursor = JSONCursor(bytes)
            cursor.skipSpace()
            let value = try cursor.readValue()
            try cursor.finish()
            return value
        }
    }

    /// The value as compact JSON in UTF-8.
    /// - Throws: ``InvalidValueError`` for a number that is not finite, with its path as the field.
    public func json() throws(InvalidValueError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.value(self, field: "value")
        return writer.bytes
    }
}

extension JSONCursor {
    /// Reads one value of any kind and builds it; there is no space before it.
    fileprivate mutating func readValue() throws(JSONError) -> JSONValue {
        switch self.peek {
        case UInt8(ascii: "{"): try self.readObject()
        case UInt8(ascii: "["): try self.readArray()
        default: try self.readScalar()
        }
    }

    private mutating func readObject() throws(JSONError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        try self.object { (cursor: inout JSONCursor, key: Range<Int>) throws(JSONError) in
            let name = cursor.text(of: key)
            guard name.isStreamSafe else { throw JSONError(.tooManyMarks, offset: key.lowerBound) }
            members[name] = try cursor.readValue()
        }
        return .object(members)
    }

    private mutating func readArray() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        try self.array { (cursor: inout JSONCursor) throws(JSONError) in
            elements.append(try cursor.readValue())
        }
        return .array(elements)
    }

    private mutating func readScalar() throws(JSONError) -> JSONValue {
        let (start, first) = (self.offset, self.peek)
        try self.skipValue()
        switch first {
        case UInt8(ascii: "\""): return .string(self.text(of: start..<self.offset))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "n"): return .null
        default: return try self.number(from: start)
        }
    }

    private func number(from start: Int) throws(JSONError) -> JSONValue {
        let text = String(decoding: self.bytes[start..<self.offset], as: UTF8.self)
        if let whole = Int64(text) { return .integer(whole) }
        guard let number = Double(text), number.isFinite else { throw JSONError(.numberTooLarge, offset: start) }
        return .double(number)
    }
}

extension JSONWriter {
    /// A value; `field` names it in a failure.
    mutating func value(_ value: JSONValue, field: String) throws(InvalidValueError) {
        switch value {
        case .null: self.null()
        case .bool(let flag): self.bool(flag)
        case .integer(let number): self.integer(number)
        case .double(let number):
            guard number.isFinite else {
                throw InvalidValueError(field: field, rule: "a finite number", value: number.description)
            }
            self.double(number)
        case .string(let text): self.string(text)
        case .array(let elements):
            self.beginArray()
            for (index, element) in elements.enumerated() { try self.value(element, field: "\(field)[\(index)]") }
            self.endArray()
        case .object(let members):
            self.beginObject()
            try self.members(members, field: field)
            self.endObject()
        }
    }

    /// The members of an object whose braces are written by the caller, sorted by name.
    mutating func members(_ members: [String: JSONValue], field: String?) throws(InvalidValueError) {
        for (name, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            self.key(name)
            try self.value(member, field: field.map { "\($0).\(name)" } ?? name)
        }
    }
}

extension JSONValue: Codable {
    /// Reads a value of any kind; a whole number of 64 bits becomes ``integer(_:)``, any other ``double(_:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value as the equivalent Swift value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue {
    /// The value after a JSON merge patch (RFC 7396): named members change, `null` removes one, and a value that is not
    /// an object replaces the complete value.
    public func merging(patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONValue] = if case .object(let own) = self { own } else { [:] }
        for (name, change) in changes {
            // A literal `nil` would be the value `null`.
            if change == .null {
                members.removeValue(forKey: name)
            } else {
                members[name] = (members[name] ?? .null).merging(patch: change)
            }
        }
        return .object(members)
    }
}
