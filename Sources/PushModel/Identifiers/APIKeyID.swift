// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The public half of an API key: it names the key and may stand in logs.
public struct APIKeyID: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "key"

    /// See ``TextIdentifier/rule``.
    public static let rule = "1 to 32 lower-case letters and digits"

    /// The text itself.
    public let rawValue: String

    /// Wraps a text that is known to be valid.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the ``rule``; an underscore would make the written form of a key ambiguous.
    public static func isValid(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: false
                }
            }
    }
}
