// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Undoes the encodings of paths and queries.
enum PercentEncoding {
    /// The text that a segment of a path stands for (RFC 3986, section 2.1); a plus sign is one.
    ///
    /// `nil` for a broken escape, and for bytes that are not UTF-8.
    static func decode(_ text: some StringProtocol) -> String? { self.decode(text, plus: UInt8(ascii: "+")) }

    /// The text that a name or a value of a query stands for, as forms write it: a plus sign is a space.
    ///
    /// `nil` for a broken escape, and for bytes that are not UTF-8.
    static func decode(form text: some StringProtocol) -> String? { self.decode(text, plus: UInt8(ascii: " ")) }

    private static func decode(_ text: some StringProtocol, plus: UInt8) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(plus)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().map({ HexDigit.value($0) }), high < 16,
                    let low = rest.popFirst().map({ HexDigit.value($0) }), low < 16
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
