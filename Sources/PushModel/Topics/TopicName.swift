// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Names a topic that devices and others are subscribed to; one namespace for all apps of a server.
public struct TopicName: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "topic"

    /// See ``TextIdentifier/rule``.
    public static let rule = "1 to 256 letters, digits, '-' and '_', with or without '.fifo' behind them"

    /// The text itself.
    public let rawValue: String

    /// Wraps a text that is known to be valid.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the ``rule``.
    public static func isValid(_ text: String) -> Bool {
        let stem = text.hasSuffix(".fifo") ? text.dropLast(5) : text[...]
        return (1...256).contains(text.utf8.count) && !stem.isEmpty
            && stem.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
