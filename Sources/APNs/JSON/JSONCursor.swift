// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A position in bytes that are read as JSON.
///
/// Every method that reads leaves ``offset`` behind what it read, or throws at the byte that is wrong.
struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset = 0
    private var depth = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The byte at the position, or nil at the end.
    var peek: UInt8? { self.offset < self.bytes.count ? self.bytes[self.offset] : nil }

    /// A fault at the position.
    func fault(_ code: JSONFault.Code) -> JSONFault {
        JSONFault(self.peek == nil ? .unexpectedEnd : code, offset: self.offset)
    }

    /// Moves behind spaces, tabs and line ends.
    mutating func skipSpace() {
        while let byte = self.peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.offset += 1 }
    }

    /// Checks that nothing but space is left.
    mutating func finish() throws(JSONFault) {
        self.skipSpace()
        guard self.peek == nil else { throw self.fault(.trailingBytes) }
    }

    /// Reads one value of any kind; there is no space before it.
    mutating func skipValue() throws(JSONFault) {
        switch self.peek {
        case UInt8(ascii: "{"):
            try self.object { (cursor: inout JSONCursor, _: Range<Int>) throws(JSONFault) in try cursor.skipValue() }
        case UInt8(ascii: "["):
            try self.array { (cursor: inout JSONCursor) throws(JSONFault) in try cursor.skipValue() }
        case UInt8(ascii: "\""): try self.skipString()
        case UInt8(ascii: "t"): try self.skipWord("true")
        case UInt8(ascii: "f"): try self.skipWord("false")
        case UInt8(ascii: "n"): try self.skipWord("null")
        default: try self.skipNumber()
        }
    }

    /// Reads an object.
    ///
    /// `member` reads each value and is told where its name stands, quotes included.
    mutating func object(
        _ member: (inout JSONCursor, Range<Int>) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try self.container(close: UInt8(ascii: "}")) { (cursor: inout JSONCursor) throws(JSONFault) in
            let start = cursor.offset
            guard cursor.peek == UInt8(ascii: "\"") else { throw cursor.fault(.unexpectedByte) }
            try cursor.skipString()
            let key = start..<cursor.offset
            cursor.skipSpace()
            guard cursor.peek == UInt8(ascii: ":") else { throw cursor.fault(.unexpectedByte) }
            cursor.offset += 1
            cursor.skipSpace()
            try member(&cursor, key)
        }
    }

    /// Reads an array.
    ///
    /// `element` reads each value.
    mutating func array(_ element: (inout JSONCursor) throws(JSONFault) -> Void) throws(JSONFault) {
        try self.container(close: UInt8(ascii: "]"), item: element)
    }

    private mutating func container(
        close: UInt8,
        item: (inout JSONCursor) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        guard self.depth < JSONScanner.maximumDepth else { throw self.fault(.tooDeep) }
        self.depth += 1
        self.offset += 1
        self.skipSpace()
        if self.peek != close {
            while true {
                try item(&self)
                self.skipSpace()
                guard self.peek == UInt8(ascii: ",") else { break }
                self.offset += 1
                self.skipSpace()
            }
        }
        guard self.peek == close else { throw self.fault(.unexpectedByte) }
        self.offset += 1
        self.depth -= 1
    }

    /// Moves over bytes that the caller has looked at.
    mutating func advance(by count: Int = 1) { self.offset += count }

    private mutating func skipWord(_ word: StaticString) throws(JSONFault) {
        for index in 0..<word.utf8CodeUnitCount {
            guard self.peek == word.utf8Start[index] else { throw self.fault(.unexpectedByte) }
            self.offset += 1
        }
    }
}
