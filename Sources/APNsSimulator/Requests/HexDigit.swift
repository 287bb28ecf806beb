// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Hexadecimal digits in ASCII.
enum HexDigit {
    /// The digit's value, or 0xFF for another character.
    @inline(__always)
    static func value(_ character: UInt8, acceptsUpperCase: Bool = true) -> UInt8 {
        let number = character &- UInt8(ascii: "0")
        if number < 10 { return number }
        let letter = (acceptsUpperCase ? character | 0x20 : character) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : 0xFF
    }

    /// Two lower-case digits for each byte.
    static func string(_ bytes: some Collection<UInt8>) -> String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: bytes.count * 2) { output in
            var position = 0
            for byte in bytes {
                output[position] = digits.utf8Start[Int(byte >> 4)]
                output[position + 1] = digits.utf8Start[Int(byte & 0x0F)]
                position += 2
            }
            return position
        }
    }
}
