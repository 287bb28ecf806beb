// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Whether bytes are a JSON object in UTF-8 (RFC 8259), found out in one pass that allocates nothing and does not
/// recurse.
///
/// As in `JSONScanner`, nesting is limited, and the escape of a lone surrogate is refused.
struct JSONValidator {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var containers = Containers()

    /// The objects and arrays that are open.
    private struct Containers {
        static var maximumDepth: Int { JSONScanner.maximumDepth }

        /// One bit for each, set for an object; at most 512.
        private var bits: SIMD8<UInt64> = .zero
        private(set) var depth = 0

        /// Whether the innermost is an object.
        var isObject: Bool {
            let innermost = self.depth - 1
            return self.bits[innermost >> 6] >> UInt64(innermost & 63) & 1 == 1
        }

        /// Opens one; says whether that is not too deep.
        mutating func open(isObject: Bool) -> Bool {
            guard self.depth < Self.maximumDepth else { return false }
            let bit: UInt64 = 1 << UInt64(self.depth & 63)
            if isObject { self.bits[self.depth >> 6] |= bit } else { self.bits[self.depth >> 6] &= ~bit }
            self.depth += 1
            return true
        }

        mutating func close() { self.depth -= 1 }
    }

    /// The start of a value.
    private enum Beginning {
        /// A value that is complete.
        case value
        /// An object or an array that has entries.
        case container
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Whether the bytes are one JSON object and nothing else but white space.
    static func isObject(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var syntax = JSONValidator(bytes)
        syntax.skipSpace()
        guard syntax.peek() == UInt8(ascii: "{"), syntax.wholeValue() else { return false }
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

    private mutating func wholeValue() -> Bool {
        while true {
            guard let beginning = self.begin() else { return false }
            guard case .value = beginning else { continue }
            // After a value: the next entry, or the ends of containers.
            while true {
                guard self.containers.depth > 0 else { return true }
                let isObject = self.containers.isObject
                self.skipSpace()
                if self.take(UInt8(ascii: ",")) {
                    self.skipSpace()
                    guard !isObject || self.name() else { return false }
                    break
                }
                guard self.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
                self.containers.close()
            }
        }
    }

    /// Parses a scalar, or the start of a container up to its first entry; `nil` for invalid JSON.
    private mutating func begin() -> Beginning? {
        guard let first = self.peek() else { return nil }
        switch first {
        case UInt8(ascii: "{"):
            self.position += 1
            self.skipSpace()
            if self.take(UInt8(ascii: "}")) { return self.containers.depth < Containers.maximumDepth ? .value : nil }
            return self.containers.open(isObject: true) && self.name() ? .container : nil
        case UInt8(ascii: "["):
            self.position += 1
            self.skipSpace()
            if self.take(UInt8(ascii: "]")) { return self.containers.depth < Containers.maximumDepth ? .value : nil }
            return self.containers.open(isObject: false) ? .container : nil
        case UInt8(ascii: "\""): return self.string() ? .value : nil
        case UInt8(ascii: "t"): return self.literal("true") ? .value : nil
        case UInt8(ascii: "f"): return self.literal("false") ? .value : nil
        case UInt8(ascii: "n"): return self.literal("null") ? .value : nil
        default: return self.number() ? .value : nil
        }
    }

    /// The name of a member, up to its value.
    private mutating func name() -> Bool {
        guard self.peek() == UInt8(ascii: "\""), self.string() else { return false }
        self.skipSpace()
        guard self.take(UInt8(ascii: ":")) else { return false }
        self.skipSpace()
        return true
    }

    private mutating func string() -> Bool {
        self.position += 1
        while let byte = self.peek() {
            self.position += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            if byte >= 0x80, !self.multibyte(first: byte) { return false }
            if byte == UInt8(ascii: "\\"), !self.escape() { return false }
        }
        return false
    }

    /// The rest of a character of two to four bytes, well-formed as table 3-7 of the Unicode Standard has it.
    private mutating func multibyte(first: UInt8) -> Bool {
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
        default: return false
        }
        guard let byte = self.peek(), second.contains(byte) else { return false }
        self.position += 1
        for _ in 0..<more {
            guard let byte = self.peek(), byte & 0xC0 == 0x80 else { return false }
            self.position += 1
        }
        return true
    }

    private mutating func escape() -> Bool {
        guard let kind = self.peek() else { return false }
        self.position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard let unit = self.unit() else { return false }
            guard UTF16.isLeadSurrogate(unit) else { return !UTF16.isTrailSurrogate(unit) }
            guard self.take(UInt8(ascii: "\\")), self.take(UInt8(ascii: "u")), let next = self.unit() else {
                return false
            }
            return UTF16.isTrailSurrogate(next)
        default: return false
        }
    }

    /// The UTF-16 unit of the four hexadecimal digits that follow.
    private mutating func unit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = self.peek().map({ Hex.nibble($0) }), digit < 16 else { return nil }
            unit = unit << 4 | UInt16(digit)
            self.position += 1
        }
        return unit
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
