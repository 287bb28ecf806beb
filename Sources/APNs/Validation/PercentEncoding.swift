// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The percent-encoding of paths, queries and forms (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Escapes everything except letters, digits and `-._~`.
    package static func encode(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                output += Hex.text(CollectionOfOne(byte)).uppercased().utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes a text; in a form, a plus sign is a space.
    ///
    /// - Returns: `nil` for an invalid escape, and for bytes that are not UTF-8.
    package static func decode(_ text: String, form: Bool = false) -> String? {
        guard form || text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where form: bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(), Hex.nibble(high) | Hex.nibble(low) < 16
                else { return nil }
                bytes.append(Hex.nibble(high) << 4 | Hex.nibble(low))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
