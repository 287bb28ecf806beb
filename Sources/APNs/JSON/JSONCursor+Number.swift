// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension JSONCursor {
    /// Reads a number of RFC 8259: `-? int frac? exp?`.
    mutating func skipNumber() throws(JSONFault) {
        let start = self.offset
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
        }
    }

    private mutating func skipSomeDigits() throws(JSONFault) {
        guard let byte = self.peek, Self.isDigit(byte) else { throw self.fault(.invalidNumber) }
        self.skipDigits()
    }

    private mutating func skipDigits() {
        while let byte = self.peek, Self.isDigit(byte) { self.advance() }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
