// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Names a stream of notifications, so that it can be gone on with; chosen by the caller.
public struct StreamID: TextIdentifier {
    /// `stream`.
    public static let field = "stream"

    /// What it must be.
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"

    /// The text as the caller gave it.
    public let rawValue: String

    /// Wraps a text that is known to obey the rule.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the rule.
    public static func isValid(_ text: String) -> Bool { text.isPlain(bytes: 1...128) }
}
