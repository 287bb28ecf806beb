// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A place in a JSON text (RFC 8259) that moves forward over one value or one punctuation mark at a time.
///
/// It knows the grammar and nothing else. Strings are held to be valid UTF-8 without lone surrogates, as RFC 7493
/// asks, and nesting is limited, so that no text can exhaust the stack.
struct JSONCursor {
    /// How deep arrays and objects may nest.
    static let maximumDepth = 64

    let bytes: [UInt8]

    /// Where the text ends among the bytes.
    let end: Int

    private(set) var offset: Int
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.init(bytes, in: 0..<bytes.count)
    }

    /// A text that is a part of the bytes; offsets count from the first of these.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        self.offset = range.lowerBound
        self.end = range.upperBound
    }

    /// Passes white space and answers the byte that follows, or `nil` at the end.
    mutating func peek() -> UInt8? {
        while self.offset < self.end {
            let byte = self.bytes[self.offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            self.offset += 1
        }
        return nil
    }

    /// Passes `character` if it is what follows.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard self.peek() == UInt8(ascii: character) else { return false }
        self.offset += 1
        return true
    }

    /// Passes `character`, which has to follow.
    mutating func expect(_ character: Unicode.Scalar, _ place: String) throws(JSONSyntaxError) {
        guard self.take(character) else { throw self.failure("expected '\(character)' \(place)") }
    }

    /// The kind of the value that follows; the value itself may still turn out to be malformed.
    mutating func kind() throws(JSONSyntaxError) -> JSONKind {
        guard let byte = self.peek() else { throw self.failure("the text ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw self.failure("expected a value")
        }
    }

    /// Goes one level of nesting down; every call is matched by one of ``leave()``.
    mutating func enter() throws(JSONSyntaxError) {
        self.depth += 1
        guard self.depth <= Self.maximumDepth else {
            throw self.failure("nested deeper than \(Self.maximumDepth) levels")
        }
    }

    /// Goes one level of nesting up.
    mutating func leave() {
        self.depth -= 1
    }

    /// Passes one value of any kind and checks all of it.
    ///
    /// - Returns: where the value stands, without the white space around it.
    @discardableResult
    mutating func skipValue() throws(JSONSyntaxError) -> Range<Int> {
        let kind = try self.kind()
        let start = self.offset
        switch kind {
        case .object: try self.skipObject()
        case .array: try self.skipArray()
        case .string: _ = try self.passString()
        case .number: _ = try self.passNumber()
        case .boolean: _ = try self.passBoolean()
        case .null: try self.passWord("null")
        }
        return start..<self.offset
    }

    /// Passes `true` or `false` and answers which.
    mutating func passBoolean() throws(JSONSyntaxError) -> Bool {
        let isTrue = self.peek() == UInt8(ascii: "t")
        try self.passWord(isTrue ? "true" : "false")
        return isTrue
    }

    /// Nothing but white space may follow.
    mutating func expectEnd() throws(JSONSyntaxError) {
        guard self.peek() == nil else { throw self.failure("something follows the value") }
    }

    func failure(_ message: String, at offset: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(offset: offset ?? self.offset, message: message)
    }

    mutating func move(to offset: Int) {
        self.offset = offset
    }

    private mutating func passWord(_ word: StaticString) throws(JSONSyntaxError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard self.offset < self.end, self.bytes[self.offset] == word.utf8Start[index] else {
                throw self.failure("expected '\(word)'")
            }
            self.offset += 1
        }
    }

    private mutating func skipObject() throws(JSONSyntaxError) {
        try self.enter()
        self.offset += 1
        if !self.take("}") {
            repeat {
                guard self.peek() == UInt8(ascii: "\"") else { throw self.failure("expected a member's name") }
                _ = try self.passString()
                try self.expect(":", "after a member's name")
                try self.skipValue()
            } while self.take(",")
            try self.expect("}", "or ',' after a member")
        }
        self.leave()
    }

    private mutating func skipArray() throws(JSONSyntaxError) {
        try self.enter()
        self.offset += 1
        if !self.take("]") {
            repeat { try self.skipValue() } while self.take(",")
            try self.expect("]", "or ',' after an element")
        }
        self.leave()
    }
}
