// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Names a job within its app; the caller chooses it.
public struct JobID: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "job"

    /// See ``TextIdentifier/rule``.
    public static let rule = "1 to 64 letters, digits, '-', '_' and '.'"

    /// The text itself.
    public let rawValue: String

    /// Wraps a text that is known to be valid.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the ``rule``: it stands in paths, with a colon behind it.
    public static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
