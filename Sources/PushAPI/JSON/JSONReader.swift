// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Reads a request's JSON body strictly and in one pass, with the path of every value.
///
/// What is not JSON ends the reading at once. Everything else that is wrong (an unknown or repeated member, a value of
/// another kind) is noted in ``faults`` and passed over, so that the caller is told all of it in one answer. A member
/// that is `null` counts as absent.
struct JSONReader {
    var faults = FaultList()
    private(set) var cursor: JSONCursor

    private init(_ bytes: [UInt8]) {
        self.cursor = JSONCursor(bytes)
    }

    /// Reads a body whose outermost value is an object with members of the given names.
    ///
    /// - Parameters:
    ///   - bytes: the body.
    ///   - names: the members that are known.
    ///   - member: is called for every member that is known and not `null`; it has to read the value.
    ///   - finish: is called after the last member, to note what is missing and to build the result. It may answer
    ///     `nil` only when a fault was noted.
    /// - Returns: what `finish` made.
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

    /// Reads an object whose members may have any name; each may stand there once.
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
                try self.cursor.expect(":", "after a member's name")
                let path = path.member(String(name.prefix(64)))
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
    mutating func isNext(_ kind: JSONKind, _ path: @autoclosure () -> FieldPath) throws(JSONSyntaxError) -> Bool {
        let found = try self.cursor.kind()
        guard found != kind else { return true }
        try self.cursor.skipValue()
        self.faults.add(path(), expected: kind.rawValue, got: found.rawValue)
        return false
    }

    /// Passes a value without looking at it.
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
