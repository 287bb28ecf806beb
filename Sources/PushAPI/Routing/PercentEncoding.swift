// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Undoes the percent-encoding of a path segment (RFC 3986, section 2.1).
enum PercentEncoding {
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
