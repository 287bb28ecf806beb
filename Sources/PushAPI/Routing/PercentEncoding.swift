// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The percent-encoding of a path segment (RFC 3986, section 2.1).
enum PercentEncoding {
    /// A text as a segment: everything but letters, digits and `-._~` is escaped.
    static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { segment, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                segment.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                segment += byte < 16 ? "%0" : "%"
                segment += String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// The text that a segment stands for; `nil` for a broken escape, and for bytes that are not UTF-8.
    static func decode(_ segment: String) -> String? {
        guard segment.utf8.contains(UInt8(ascii: "%")) else { return segment }
        var bytes: [UInt8] = []
        var rest = Substring(segment).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            guard digits.count == 2, isHex, let value = UInt8(String(Substring(digits)), radix: 16) else { return nil }
            bytes.append(value)
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
