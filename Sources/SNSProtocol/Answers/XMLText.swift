// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which text XML 1.0 can carry.
///
/// A control character cannot even be escaped: parsers of clients refuse the whole answer. So what is kept and answered
/// later is checked when it comes in, and what is only repeated in an error has U+FFFD in its place.
enum XMLText {
    /// Whether XML has the character.
    static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// What is wrong with a text: a phrase with the first character that XML has not, and its place; `nil` for nothing.
    static func fault(in text: String) -> String? {
        var offset = 0
        for scalar in text.unicodeScalars {
            guard self.allows(scalar) else {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let name = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                return "must be text that XML can carry, got U+\(name) at byte \(offset)"
            }
            offset += scalar.utf8.count
        }
        return nil
    }
}
