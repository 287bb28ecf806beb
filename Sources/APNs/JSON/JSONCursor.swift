// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A position in bytes that are parsed as JSON.
///
/// Every method that parses advances ``offset`` past the value, or throws at the invalid byte.
struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset = 0
    private var depth = 0
    private let maximumDepth: Int

    /// Whether lone surrogates and numbers that are too large are noted in ``misfits`` and not refused.
    private let notesMisfits: Bool

    /// The ranges of tolerated invalid values.
    private(set) var misfits: [Range<Int>] = []

    init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        maximumDepth: Int = JSONScanner.maximumDepth,
        notesMisfits: Bool = false
    ) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.notesMisfits = notesMisfits
    }

    /// The byte at the position, or nil at the end.
    var peek: UInt8? { self.offset < self.bytes.count ? self.bytes[self.offset] : nil }

    func fault(_ code: JSONError.Code) -> JSONError {
        JSONError(self.peek == nil ? .unexpectedEnd : code, offset: self.offset)
    }

    /// Moves behind spaces, tabs and line ends.
    mutating func skipSpace() {
        while let byte = self.peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.offset += 1 }
    }

    /// Checks that nothing but space is left.
    mutating func finish() throws(JSONError) {
        self.skipSpace()
        guard self.peek == nil else { throw self.fault(.trailingBytes) }
    }

    /// Reads an object that has nothing but space around it.
    mutating func wholeObject() throws(JSONError) {
        self.skipSpace()
        let start = self.offset
        try self.skipValue()
        try self.finish()
        guard self.bytes[start] == UInt8(ascii: "{") else { throw JSONError(.notAnObject, offset: start) }
    }

    /// Reads one value of any kind; there is no space before it.
    mutating func skipValue() throws(JSONError) {
        switch self.peek {
        case UInt8(ascii: "{"):
            try self.object { (cursor: inout JSONCursor, _: Range<Int>) throws(JSONError) in try cursor.skipValue() }
        case UInt8(ascii: "["):
            try self.array { (cursor: inout JSONCursor) throws(JSONError) in try cursor.skipValue() }
        case UInt8(ascii: "\""): try self.skipString()
        case UInt8(ascii: "t"): try self.skipWord("true")
        case UInt8(ascii: "f"): try self.skipWord("false")
        case UInt8(ascii: "n"): try self.skipWord("null")
        default: try self.skipNumber()
        }
    }

    /// Parses an object.
    ///
    /// `member` parses each value, and receives the range of its name, including quotes.
    mutating func object(
        _ member: (inout JSONCursor, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        try self.container(close: UInt8(ascii: "}")) { (cursor: inout JSONCursor) throws(JSONError) in
            let key = try cursor.readKey()
            try member(&cursor, key)
        }
    }

    /// Reads the name of a member and the colon behind it.
    ///
    /// Separate from the recursive methods, because each level of nesting takes their stack.
    private mutating func readKey() throws(JSONError) -> Range<Int> {
        let start = self.offset
        guard self.peek == UInt8(ascii: "\"") else { throw self.fault(.unexpectedByte) }
        try self.skipString()
        let key = start..<self.offset
        self.skipSpace()
        guard self.peek == UInt8(ascii: ":") else { throw self.fault(.unexpectedByte) }
        self.offset += 1
        self.skipSpace()
        return key
    }

    /// Reads an array.
    ///
    /// `element` reads each value.
    mutating func array(_ element: (inout JSONCursor) throws(JSONError) -> Void) throws(JSONError) {
        try self.container(close: UInt8(ascii: "]"), item: element)
    }

    private mutating func container(
        close: UInt8,
        item: (inout JSONCursor) throws(JSONError) -> Void
    ) throws(JSONError) {
        try self.open()
        if self.peek != close {
            repeat { try item(&self) } while self.skipComma()
        }
        try self.close(close)
    }

    private mutating func open() throws(JSONError) {
        guard self.depth < self.maximumDepth else { throw self.fault(.tooDeep) }
        self.depth += 1
        self.offset += 1
        self.skipSpace()
    }

    /// Moves behind a comma and the space around it.
    ///
    /// - Returns: whether there was one.
    private mutating func skipComma() -> Bool {
        self.skipSpace()
        guard self.peek == UInt8(ascii: ",") else { return false }
        self.offset += 1
        self.skipSpace()
        return true
    }

    private mutating func close(_ byte: UInt8) throws(JSONError) {
        guard self.peek == byte else { throw self.fault(.unexpectedByte) }
        self.offset += 1
        self.depth -= 1
    }

    /// Moves over bytes that the caller has looked at.
    mutating func advance(by count: Int = 1) { self.offset += count }

    /// Throws for the value from `start` on, or records it.
    private mutating func refuse(_ code: JSONError.Code, from start: Int) throws(JSONError) {
        guard self.notesMisfits else { throw JSONError(code, offset: start) }
        self.misfits.append(start..<self.offset)
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard self.peek == word.utf8Start[index] else { throw self.fault(.unexpectedByte) }
            self.offset += 1
        }
    }
}

extension JSONCursor {
    /// Reads a string from its first quote to its last.
    mutating func skipString() throws(JSONError) {
        self.advance()
        while let byte = self.peek {
            switch byte {
            case UInt8(ascii: "\""):
                self.advance()
                return
            case UInt8(ascii: "\\"): try self.skipEscape()
            case 0..<0x20: throw self.fault(.controlCharacter)
            case 0..<0x80: self.advance()
            default: try self.skipMultibyte(first: byte)
            }
        }
        throw self.fault(.unexpectedEnd)
    }

    /// The text of a string that has been read before; `range` includes the quotes.
    func text(of range: Range<Int>) -> String {
        let inside = UnsafeBufferPointer(rebasing: self.bytes[range.lowerBound + 1..<range.upperBound - 1])
        guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
        return Self.unescape(inside)
    }

    private mutating func skipEscape() throws(JSONError) {
        let start = self.offset
        self.advance()
        guard let kind = self.peek else { throw self.fault(.unexpectedEnd) }
        self.advance()
        if Self.shortEscape(kind) != nil { return }
        guard kind == UInt8(ascii: "u") else { throw JSONError(.invalidEscape, offset: start) }
        for _ in 0..<4 {
            guard let digit = self.peek else { throw self.fault(.unexpectedEnd) }
            guard Hex.nibble(digit) != Hex.invalid else { throw JSONError(.invalidEscape, offset: start) }
            self.advance()
        }
        let unit = Self.unit(self.bytes, at: start + 2)
        if UTF16.isLeadSurrogate(unit), self.isTrailSurrogateNext {
            self.advance(by: 6)
        } else if UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) {
            try self.refuse(.loneSurrogate, from: start)
        }
    }

    /// Whether the escape of a trailing surrogate follows.
    private var isTrailSurrogateNext: Bool {
        let start = self.offset
        guard start + 6 <= self.bytes.count, self.bytes[start] == UInt8(ascii: "\\"),
            self.bytes[start + 1] == UInt8(ascii: "u"),
            (start + 2..<start + 6).allSatisfy({ Hex.nibble(self.bytes[$0]) != Hex.invalid })
        else { return false }
        return UTF16.isTrailSurrogate(Self.unit(self.bytes, at: start + 2))
    }

    /// Reads one character of two to four bytes, well-formed as table 3-7 of the Unicode Standard has it.
    private mutating func skipMultibyte(first: UInt8) throws(JSONError) {
        let second: ClosedRange<UInt8>
        let more: Int
        switch first {
        case 0xC2...0xDF: (second, more) = (0x80...0xBF, 0)
        case 0xE0: (second, more) = (0xA0...0xBF, 1)
        case 0xED: (second, more) = (0x80...0x9F, 1)
        case 0xE1...0xEF: (second, more) = (0x80...0xBF, 1)
        case 0xF0: (second, more) = (0x90...0xBF, 2)
        case 0xF1...0xF3: (second, more) = (0x80...0xBF, 2)
        case 0xF4: (second, more) = (0x80...0x8F, 2)
        default: throw self.fault(.invalidUTF8)
        }
        self.advance()
        guard let byte = self.peek, second.contains(byte) else { throw self.fault(.invalidUTF8) }
        self.advance()
        for _ in 0..<more {
            guard let byte = self.peek, (0x80...0xBF).contains(byte) else { throw self.fault(.invalidUTF8) }
            self.advance()
        }
    }

    private static func shortEscape(_ kind: UInt8) -> UInt8? {
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): kind
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Resolves the escapes of a string that has been read before.
    private static func unescape(_ inside: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(inside.count)
        var index = 0
        while index < inside.count {
            guard inside[index] == UInt8(ascii: "\\") else {
                bytes.append(inside[index])
                index += 1
                continue
            }
            if let short = self.shortEscape(inside[index + 1]) {
                bytes.append(short)
                index += 2
                continue
            }
            var units = [self.unit(inside, at: index + 2)]
            index += 6
            if UTF16.isLeadSurrogate(units[0]), index + 6 <= inside.count, inside[index] == UInt8(ascii: "\\"),
                inside[index + 1] == UInt8(ascii: "u")
            {
                let next = self.unit(inside, at: index + 2)
                if UTF16.isTrailSurrogate(next) {
                    units.append(next)
                    index += 6
                }
            }
            bytes.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unit(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16 {
        (index..<index + 4).reduce(0) { $0 << 4 | UInt16(Hex.nibble(text[$1])) }
    }
}

extension JSONCursor {
    /// Reads a number of RFC 8259, `-? int frac? exp?`, that a `Double` holds.
    mutating func skipNumber() throws(JSONError) {
        let start = self.offset
        var hasExponent = false
        if self.peek == UInt8(ascii: "-") { self.advance() }
        switch self.peek {
        case UInt8(ascii: "0"):
            self.advance()
            if let next = self.peek, Self.isDigit(next) { throw self.fault(.invalidNumber) }
        case .some(let byte) where Self.isDigit(byte): self.skipDigits()
        default: throw self.fault(self.offset == start ? .unexpectedByte : .invalidNumber)
        }
        if self.peek == UInt8(ascii: ".") {
            self.advance()
            try self.skipSomeDigits()
        }
        if self.peek == UInt8(ascii: "e") || self.peek == UInt8(ascii: "E") {
            self.advance()
            if self.peek == UInt8(ascii: "+") || self.peek == UInt8(ascii: "-") { self.advance() }
            try self.skipSomeDigits()
            hasExponent = true
        }
        guard hasExponent || self.offset - start > JSONScanner.finiteDigits,
            !JSONScanner.isFinite(self.bytes[start..<self.offset])
        else { return }
        try self.refuse(.numberTooLarge, from: start)
    }

    private mutating func skipSomeDigits() throws(JSONError) {
        guard let byte = self.peek, Self.isDigit(byte) else { throw self.fault(.invalidNumber) }
        self.skipDigits()
    }

    private mutating func skipDigits() {
        while let byte = self.peek, Self.isDigit(byte) { self.advance() }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
