// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A place in a JSON text (RFC 8259) that moves forward over one value or one punctuation mark at a time.
///
/// It knows the grammar and nothing else. As RFC 7493 asks, strings are held to be valid UTF-8 without lone surrogates,
/// and numbers to lie in the range of a `Double`. Nesting is limited, so that no text can exhaust the stack.
struct JSONCursor {
    /// How deep arrays and objects may nest.
    static let maximumDepth = JSONScanner.maximumDepth

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

    /// Advances past `character` if it is next.
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
    mutating func kind() throws(JSONSyntaxError) -> JSONType {
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

    /// Advances past one value of any kind, and validates all of it.
    ///
    /// - Returns: the range of the value, without surrounding white space.
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

extension JSONCursor {
    /// A string that was passed: the range of its content, and whether it has escapes.
    struct PassedString {
        var content: Range<Int>
        var hasEscapes: Bool
    }

    /// Passes a string, whose opening quotation mark is at the offset.
    mutating func passString() throws(JSONSyntaxError) -> PassedString {
        let start = self.offset + 1
        var position = start
        var hasEscapes = false
        while position < self.end {
            let byte = self.bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                self.move(to: position + 1)
                return PassedString(content: start..<position, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = try self.end(ofEscapeAt: position)
            case 0..<0x20:
                throw self.failure("a control character in a string has to be escaped", at: position)
            case 0x20..<0x80:
                position += 1
            default:
                position = try self.end(ofCharacterAt: position)
            }
        }
        throw self.failure("the text ends within a string", at: self.end)
    }

    func text(of string: PassedString) -> String {
        guard string.hasEscapes else { return String(decoding: self.bytes[string.content], as: UTF8.self) }
        var units: [UInt8] = []
        units.reserveCapacity(string.content.count)
        var position = string.content.lowerBound
        while position < string.content.upperBound {
            let byte = self.bytes[position]
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                position += 1
                continue
            }
            let (scalar, end) = self.scalar(ofEscapeAt: position)
            units.append(contentsOf: Array(String(Character(scalar)).utf8))
            position = end
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// Advances past a number and returns its range.
    mutating func passNumber() throws(JSONSyntaxError) -> Range<Int> {
        let start = self.offset
        var position = start
        if self.byte(at: position) == UInt8(ascii: "-") { position += 1 }
        let firstDigit = position
        position = try self.end(ofDigitsAt: position)
        if self.bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw self.failure("a number may not begin with 0", at: firstDigit)
        }
        if self.byte(at: position) == UInt8(ascii: ".") { position = try self.end(ofDigitsAt: position + 1) }
        var hasExponent = false
        if let mark = self.byte(at: position), mark | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            position += 1
            if let sign = self.byte(at: position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            position = try self.end(ofDigitsAt: position)
        }
        if hasExponent || position - start > JSONScanner.finiteDigits,
            !JSONScanner.isFinite(self.bytes[start..<position])
        {
            throw self.failure("a number beyond the range of a double (about 1.8e308)", at: start)
        }
        self.move(to: position)
        return start..<position
    }

    private func byte(at position: Int) -> UInt8? {
        position < self.end ? self.bytes[position] : nil
    }

    private func end(ofDigitsAt start: Int) throws(JSONSyntaxError) -> Int {
        var position = start
        while let byte = self.byte(at: position), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw self.failure("expected a digit", at: start) }
        return position
    }

    /// Checks one UTF-8 sequence of two to four bytes by the table of RFC 3629, section 4.
    private func end(ofCharacterAt start: Int) throws(JSONSyntaxError) -> Int {
        let second: ClosedRange<UInt8>
        let length: Int
        switch self.bytes[start] {
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xE1...0xEC, 0xEE...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: throw self.failure("not UTF-8", at: start)
        }
        for index in 1..<length {
            let range = index == 1 ? second : 0x80...0xBF
            guard let byte = self.byte(at: start + index), range.contains(byte) else {
                throw self.failure("not UTF-8", at: start)
            }
        }
        return start + length
    }

    private func end(ofEscapeAt start: Int) throws(JSONSyntaxError) -> Int {
        switch self.byte(at: start + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            guard let unit = self.unit(at: start) else {
                throw self.failure("expected four digits after \\u", at: start)
            }
            if UTF16.isTrailSurrogate(unit) { throw self.failure("a lone surrogate", at: start) }
            guard UTF16.isLeadSurrogate(unit) else { return start + 6 }
            guard let next = self.unit(at: start + 6), UTF16.isTrailSurrogate(next) else {
                throw self.failure("a lone surrogate", at: start)
            }
            return start + 12
        default:
            throw self.failure("an unknown escape", at: start)
        }
    }

    /// Returns the UTF-16 unit of a `\uXXXX` at `start`.
    private func unit(at start: Int) -> UInt16? {
        guard self.byte(at: start) == UInt8(ascii: "\\"), self.byte(at: start + 1) == UInt8(ascii: "u") else {
            return nil
        }
        guard start + 6 <= self.end else { return nil }
        var unit: UInt16 = 0
        for byte in self.bytes[start + 2..<start + 6] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Returns the scalar of a validated escape, and its end.
    private func scalar(ofEscapeAt start: Int) -> (scalar: Unicode.Scalar, end: Int) {
        switch self.bytes[start + 1] {
        case UInt8(ascii: "b"): return ("\u{8}", start + 2)
        case UInt8(ascii: "f"): return ("\u{C}", start + 2)
        case UInt8(ascii: "n"): return ("\n", start + 2)
        case UInt8(ascii: "r"): return ("\r", start + 2)
        case UInt8(ascii: "t"): return ("\t", start + 2)
        case UInt8(ascii: "u"):
            let lead = UInt32(self.unit(at: start) ?? 0)
            if let scalar = Unicode.Scalar(lead) { return (scalar, start + 6) }
            let trail = UInt32(self.unit(at: start + 6) ?? 0)
            let value = 0x10000 + (lead & 0x3FF) << 10 + (trail & 0x3FF)
            return (Unicode.Scalar(value) ?? "\u{FFFD}", start + 12)
        default: return (Unicode.Scalar(self.bytes[start + 1]), start + 2)
        }
    }
}

/// Where and why a text is not JSON (RFC 8259).
struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The position of the first invalid byte, counted from 0.
    let offset: Int

    /// The error, without the text itself.
    let message: String
}
