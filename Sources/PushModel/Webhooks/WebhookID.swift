// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Names a webhook.
public struct WebhookID: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "webhook"

    /// See ``TextIdentifier/rule``.
    public static let rule = "1 to 64 lower-case letters, digits and '_'"

    /// The text itself.
    public let rawValue: String

    /// Wraps a text that is known to be valid.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Draws a new id: `wh_` and 16 hexadecimal digits.
    public static func random() -> WebhookID {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return WebhookID(unchecked: "wh_" + String(repeating: "0", count: 16 - digits.count) + digits)
    }

    /// Whether a text obeys the ``rule``; other characters would break ids of messages and paths that are made of it.
    public static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
