// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Whether bytes are a JSON object (RFC 8259), found out in one pass that allocates nothing.
///
/// UTF-8 inside strings is not checked; objects and arrays may be nested 128 deep.
struct JSONSyntax {
    private static let maximumDepth = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Whether the bytes are one JSON object and nothing else but white space.
    static func isObject(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var syntax = JSONSyntax(bytes)
        syntax.skipSpace()
        guard syntax.peek() == UInt8(ascii: "{"), syntax.value(depth: 0) else { return false }
        syntax.skipSpace()
        return syntax.position == bytes.count
    }

    private func peek() -> UInt8? {
        self.position < self.bytes.count ? self.bytes[self.position] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard self.peek() == byte else { return false }
        self.position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = self.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            self.position += 1
        }
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.maximumDepth, let first = self.peek() else { return false }
        switch first {
        case UInt8(ascii: "{"): return self.members(depth: depth)
        case UInt8(ascii: "["): return self.elements(depth: depth)
        case UInt8(ascii: "\""): return self.string()
        case UInt8(ascii: "t"): return self.literal("true")
        case UInt8(ascii: "f"): return self.literal("false")
        case UInt8(ascii: "n"): return self.literal("null")
        default: return self.number()
        }
    }

    private mutating func members(depth: Int) -> Bool {
        self.position += 1
        self.skipSpace()
        if self.take(UInt8(ascii: "}")) { return true }
        repeat {
            self.skipSpace()
            guard self.peek() == UInt8(ascii: "\""), self.string() else { return false }
            self.skipSpace()
            guard self.take(UInt8(ascii: ":")) else { return false }
            self.skipSpace()
            guard self.value(depth: depth + 1) else { return false }
            self.skipSpace()
        } while self.take(UInt8(ascii: ","))
        return self.take(UInt8(ascii: "}"))
    }

    private mutating func elements(depth: Int) -> Bool {
        self.position += 1
        self.skipSpace()
        if self.take(UInt8(ascii: "]")) { return true }
        repeat {
            self.skipSpace()
            guard self.value(depth: depth + 1) else { return false }
            self.skipSpace()
        } while self.take(UInt8(ascii: ","))
        return self.take(UInt8(ascii: "]"))
    }

    private mutating func string() -> Bool {
        self.position += 1
        while let byte = self.peek() {
            self.position += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            if byte == UInt8(ascii: "\\"), !self.escape() { return false }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let kind = self.peek() else { return false }
        self.position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = self.peek(), HexDigit.value(digit) < 16 else { return false }
                self.position += 1
            }
            return true
        default: return false
        }
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        let rest = self.bytes[self.position...]
        guard UnsafeBufferPointer(rebasing: rest).hasPrefix(text) else { return false }
        self.position += text.utf8CodeUnitCount
        return true
    }

    private mutating func number() -> Bool {
        _ = self.take(UInt8(ascii: "-"))
        if !self.take(UInt8(ascii: "0")) {
            guard self.digits() else { return false }
        }
        if self.take(UInt8(ascii: ".")), !self.digits() { return false }
        if self.take(UInt8(ascii: "e")) || self.take(UInt8(ascii: "E")) {
            if !self.take(UInt8(ascii: "+")) { _ = self.take(UInt8(ascii: "-")) }
            return self.digits()
        }
        return true
    }

    /// One digit or more.
    private mutating func digits() -> Bool {
        let start = self.position
        while let byte = self.peek(), byte &- UInt8(ascii: "0") < 10 { self.position += 1 }
        return self.position > start
    }
}
