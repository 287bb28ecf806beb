// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Parses a JSON request body strictly and in one pass, with the path of every value.
///
/// Malformed JSON ends the parsing. All other errors (an unknown or repeated member, a value of another type) are
/// recorded in ``faults``, and the value is skipped, so that the response has all of them. A member that is `null`
/// counts as absent.
struct JSONReader {
    var faults = ValidationErrors()
    private(set) var cursor: JSONCursor

    private init(_ bytes: [UInt8]) {
        self.cursor = JSONCursor(bytes)
    }

    /// Reads a body whose outermost value is an object with members of the given names.
    ///
    /// It calls `member` for each known member that is not `null`, and `member` has to read the value. It calls
    /// `finish` after the last member. `finish` notes missing members and builds the result; it may return `nil` only
    /// after it has noted a fault.
    /// - Throws: a ``Problem`` `.malformedJSON` with the offset, or one made of all faults.
    static func read<Value>(
        _ bytes: [UInt8],
        members names: [String],
        member: (inout JSONReader, String, FieldPath) throws(JSONSyntaxError) -> Void,
        finish: (inout JSONReader) -> Value?
    ) throws(Problem) -> Value {
        var reader = JSONReader(bytes)
        let isObject: Bool
        do {
            isObject = try reader.object(.root, members: names, member)
            try reader.cursor.expectEnd()
        } catch {
            throw Problem(.malformedJSON, "The body is not JSON: \(error.message), at byte \(error.offset).")
        }
        let value = isObject ? finish(&reader) : nil
        try reader.faults.check()
        guard let value else { throw Problem(.invalidRequest, "The body could not be read.") }
        return value
    }

    /// Reads an object; see ``read(_:members:member:finish:)``.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    mutating func object(
        _ path: FieldPath,
        members names: [String],
        _ member: (inout JSONReader, String, FieldPath) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) -> Bool {
        try self.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            guard names.contains(name) else {
                let known = names.map { "'\($0)'" }.joined(separator: ", ")
                reader.faults.add(path, expected: "one of the members \(known)", got: "an unknown member")
                try reader.cursor.skipValue()
                return
            }
            guard try reader.cursor.kind() != .null else {
                try reader.cursor.skipValue()
                return
            }
            try member(&reader, name, path)
        }
    }

    /// Parses an object whose members may have any name, each at most once.
    ///
    /// - Returns: whether there was an object.
    @discardableResult
    mutating func eachMember(
        _ path: FieldPath,
        _ member: (inout JSONReader, String, FieldPath) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) -> Bool {
        guard try self.isNext(.object, path) else { return false }
        try self.cursor.enter()
        _ = self.cursor.take("{")
        if !self.cursor.take("}") {
            var seen: Set<String> = []
            repeat {
                guard self.cursor.peek() == UInt8(ascii: "\"") else {
                    throw self.cursor.failure("expected a member's name")
                }
                let name = self.cursor.text(of: try self.cursor.passString())
                guard name.isStreamSafe else {
                    throw self.cursor.failure("a member's name with more than 30 combining marks in a row")
                }
                try self.cursor.expect(":", "after a member's name")
                // Not 64 characters: each of these may have any number of combining marks.
                let isShort = name.utf8.count <= 64
                let path = path.member(isShort ? name : String(name.unicodeScalars.prefix(64)))
                if seen.insert(name).inserted {
                    try member(&self, name, path)
                } else {
                    self.faults.add(path, expected: "each member once", got: "a repeated member")
                    try self.cursor.skipValue()
                }
            } while self.cursor.take(",")
            try self.cursor.expect("}", "or ',' after a member")
        }
        self.cursor.leave()
        return true
    }

    /// Reads an array; `element` is called with each index and has to read the value.
    ///
    /// - Returns: how many elements there were, or `nil` when the value is no array.
    @discardableResult
    mutating func array(
        _ path: FieldPath,
        _ element: (inout JSONReader, Int) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) -> Int? {
        guard try self.isNext(.array, path) else { return nil }
        try self.cursor.enter()
        _ = self.cursor.take("[")
        var count = 0
        if !self.cursor.take("]") {
            repeat {
                _ = try self.cursor.kind()
                try element(&self, count)
                count += 1
            } while self.cursor.take(",")
            try self.cursor.expect("]", "or ',' after an element")
        }
        self.cursor.leave()
        return count
    }

    /// Whether a value of this kind follows; any other one is noted as a fault and passed over.
    mutating func isNext(_ kind: JSONType, _ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> Bool {
        let found = try self.cursor.kind()
        guard found != kind else { return true }
        try self.cursor.skipValue()
        self.faults.add(path(), expected: kind.rawValue, got: found.rawValue)
        return false
    }

    /// Skips a value.
    mutating func skip() throws(JSONSyntaxError) {
        try self.cursor.skipValue()
    }

    /// Gives the cursor to a reading of single values.
    mutating func withCursor<Value>(
        _ body: (inout JSONCursor) throws(JSONSyntaxError) -> Value
    ) throws(JSONSyntaxError) -> Value {
        try body(&self.cursor)
    }
}

extension JSONReader {
    /// Reads a string of `sizes` UTF-8 bytes with at most 30 combining marks in a row; anything else is noted as a
    /// fault.
    mutating func string(
        _ path: @autoclosure () -> FieldPath,
        bytes sizes: ClosedRange<Int> = 0...Int.max
    ) throws(JSONSyntaxError) -> String? {
        guard let text = try self.freeText(path(), bytes: sizes) else { return nil }
        guard text.isStreamSafe else {
            self.faults.add(path(), expected: "at most 30 combining marks in a row", got: "more")
            return nil
        }
        return text
    }

    /// Reads a string that is neither compared nor hashed, and so may have any combining marks.
    mutating func freeText(
        _ path: @autoclosure () -> FieldPath,
        bytes sizes: ClosedRange<Int> = 0...Int.max
    ) throws(JSONSyntaxError) -> String? {
        guard try self.isNext(.string, path()) else { return nil }
        let text = try self.withCursor { cursor throws(JSONSyntaxError) in cursor.text(of: try cursor.passString()) }
        guard sizes.contains(text.utf8.count) else {
            let rule = "\(sizes.lowerBound) to \(sizes.upperBound) bytes of UTF-8"
            self.faults.add(path(), expected: rule, got: "\(text.utf8.count) bytes")
            return nil
        }
        return text
    }

    /// Reads a string of `sizes` bytes as it is written between its quotation marks, escapes and all.
    mutating func rawString(
        _ path: @autoclosure () -> FieldPath,
        bytes sizes: ClosedRange<Int>
    ) throws(JSONSyntaxError) -> ArraySlice<UInt8>? {
        guard try self.isNext(.string, path()) else { return nil }
        let content = try self.withCursor { cursor throws(JSONSyntaxError) in
            let string = try cursor.passString()
            return cursor.bytes[string.content]
        }
        guard sizes.contains(content.count) else {
            let rule = "\(sizes.lowerBound) to \(sizes.upperBound) bytes of UTF-8"
            self.faults.add(path(), expected: rule, got: "\(content.count) bytes")
            return nil
        }
        return content
    }

    /// Reads a string that one of the model's types validates.
    mutating func value<Value>(
        _ path: @autoclosure () -> FieldPath,
        _ make: (String) throws(InvalidValueError) -> Value
    ) throws(JSONSyntaxError) -> Value? {
        guard let text = try self.string(path()) else { return nil }
        do {
            return try make(text)
        } catch {
            self.faults.add(error, at: path())
            return nil
        }
    }

    /// Reads a string that names one case of a closed set.
    mutating func oneOf<Value: RawRepresentable & CaseIterable>(
        _ type: Value.Type,
        _ path: @autoclosure () -> FieldPath
    ) throws(JSONSyntaxError) -> Value? where Value.RawValue == String {
        guard let text = try self.string(path()) else { return nil }
        if let value = Value(rawValue: text) { return value }
        let names = Value.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        self.faults.add(path(), expected: "one of \(names)", got: Self.shown(text))
        return nil
    }

    /// Reads a whole number in `range`, written without fraction and exponent.
    mutating func integer<Value: FixedWidthInteger>(
        _ path: @autoclosure () -> FieldPath,
        in range: ClosedRange<Value>
    ) throws(JSONSyntaxError) -> Value? {
        guard let text = try self.number(path()) else { return nil }
        if let value = Value(text), range.contains(value) { return value }
        self.faults.add(path(), expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", got: text)
        return nil
    }

    mutating func double(
        _ path: @autoclosure () -> FieldPath,
        in range: ClosedRange<Double>
    ) throws(JSONSyntaxError) -> Double? {
        guard let text = try self.number(path()) else { return nil }
        if let value = Double(text), range.contains(value) { return value }
        self.faults.add(path(), expected: "a number from \(range.lowerBound) to \(range.upperBound)", got: text)
        return nil
    }

    mutating func boolean(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> Bool? {
        guard try self.isNext(.boolean, path()) else { return nil }
        return try self.withCursor { cursor throws(JSONSyntaxError) in try cursor.passBoolean() }
    }

    /// Reads an object without looking into it: its very bytes, checked to be JSON.
    mutating func rawObject(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> [UInt8]? {
        guard try self.isNext(.object, path()) else { return nil }
        return try self.withCursor { cursor throws(JSONSyntaxError) in
            let range = try cursor.skipValue()
            return Array(cursor.bytes[range])
        }
    }

    /// Reads the digits of a device token; they are never made a string of.
    ///
    /// A fault is noted with the place of the token in the request and its size, never the token.
    mutating func deviceToken(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> DeviceToken? {
        guard try self.isNext(.string, path()) else { return nil }
        let result = try self.withCursor { cursor throws(JSONSyntaxError) -> Result<DeviceToken, InvalidValueError> in
            let string = try cursor.passString()
            return cursor.bytes.withUnsafeBufferPointer { bytes in
                let digits = UnsafeBufferPointer(rebasing: bytes[string.content])
                return Result { () throws(InvalidValueError) in try DeviceToken(hexUTF8: digits) }
            }
        }
        switch result {
        case .success(let token):
            return token
        case .failure(let failure):
            self.faults.add(failure, at: path(), code: .invalidDeviceToken)
            return nil
        }
    }

    /// Notes that a member is missing unless it was read, or was there and faulty.
    mutating func require<Value>(_ value: Value?, _ name: String, at path: FieldPath = .root) -> Value? {
        if value == nil, !self.faults.concern(path.member(name)) {
            self.faults.add(path.member(name), expected: "a value", got: "nothing")
        }
        return value
    }

    private mutating func number(_ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> String? {
        guard try self.isNext(.number, path()) else { return nil }
        return try self.withCursor { cursor throws(JSONSyntaxError) in
            let range = try cursor.passNumber()
            return String(decoding: cursor.bytes[range], as: UTF8.self)
        }
    }

    private static func shown(_ text: String) -> String {
        text.utf8.count <= 32 ? "'\(text)'" : "\(text.utf8.count) bytes"
    }
}

extension ValidationErrors {
    /// Whether a fault at this path, or within the value at it, was noted among those that are listed.
    func concern(_ path: FieldPath) -> Bool {
        self.faults.contains { fault in
            guard fault.field.hasPrefix(path.description) else { return false }
            let rest = fault.field.dropFirst(path.description.count)
            return rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("[")
        }
    }
}

/// The kinds of JSON values, as they are named to callers.
enum JSONType: String, Sendable {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case number = "a number"
    case boolean = "a boolean"
    case null = "null"
}
