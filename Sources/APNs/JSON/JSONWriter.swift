// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Writes compact JSON in UTF-8: no space, members in the order given, no character escaped that need not be.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer with this capacity in bytes.
    package init(capacity: Int = 0) {
        self.bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { self.begin(UInt8(ascii: "{")) }
    package mutating func endObject() { self.bytes.append(UInt8(ascii: "}")) }
    package mutating func beginArray() { self.begin(UInt8(ascii: "[")) }
    package mutating func endArray() { self.bytes.append(UInt8(ascii: "]")) }

    /// The name of the member whose value is written next.
    package mutating func key(_ name: String) {
        self.string(name)
        self.bytes.append(UInt8(ascii: ":"))
    }

    package mutating func string(_ text: String) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { characters in
            // Most texts have nothing to escape.
            if characters.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                self.bytes.append(contentsOf: characters)
            } else {
                for byte in characters { self.character(byte) }
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ number: some BinaryInteger) { self.raw(String(number).utf8) }

    package mutating func integer(_ number: Int) { self.raw(String(number).utf8) }

    package mutating func bool(_ flag: Bool) { self.raw((flag ? "true" : "false").utf8) }

    package mutating func null() { self.raw("null".utf8) }

    /// A finite number, without a fraction where it has none.
    package mutating func double(_ number: Double) {
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            self.integer(whole)
        } else {
            self.raw(number.description.utf8)
        }
    }

    /// A value that is JSON already, byte for byte.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        self.separate()
        self.bytes.append(contentsOf: json)
    }

    private mutating func begin(_ bracket: UInt8) {
        self.separate()
        self.bytes.append(bracket)
    }

    /// A comma, unless the value is the first of its container or follows its name.
    private mutating func separate() {
        switch self.bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: self.bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func character(_ byte: UInt8) {
        let escaped: StaticString
        switch byte {
        case UInt8(ascii: "\""): escaped = "\\\""
        case UInt8(ascii: "\\"): escaped = "\\\\"
        case 0x08: escaped = "\\b"
        case 0x0C: escaped = "\\f"
        case 0x0A: escaped = "\\n"
        case 0x0D: escaped = "\\r"
        case 0x09: escaped = "\\t"
        case 0..<0x20:
            let digits: StaticString = "0123456789abcdef"
            self.bytes.append(contentsOf: "\\u00".utf8)
            self.bytes.append(digits.utf8Start[Int(byte >> 4)])
            self.bytes.append(digits.utf8Start[Int(byte & 0x0F)])
            return
        default:
            self.bytes.append(byte)
            return
        }
        self.bytes.append(contentsOf: UnsafeBufferPointer(start: escaped.utf8Start, count: escaped.utf8CodeUnitCount))
    }
}

extension JSONWriter {
    mutating func member(_ name: String, string: String?) {
        guard let string else { return }
        self.key(name)
        self.string(string)
    }

    mutating func member(_ name: String, integer: (some BinaryInteger)?) {
        guard let integer else { return }
        self.key(name)
        self.integer(integer)
    }

    mutating func member(_ name: String, double: Double?) {
        guard let double else { return }
        self.key(name)
        self.double(double)
    }

    mutating func member(_ name: String, strings: [String]?) {
        guard let strings else { return }
        self.key(name)
        self.beginArray()
        for string in strings { self.string(string) }
        self.endArray()
    }

    /// `1` where the flag is set, nothing otherwise: Apple's way of writing flags.
    mutating func member(_ name: String, flag: Bool) {
        if flag { self.member(name, integer: 1) }
    }

    mutating func member(_ name: String, json: RawJSONObject?) {
        guard let json else { return }
        self.key(name)
        self.raw(json.bytes)
    }
}
