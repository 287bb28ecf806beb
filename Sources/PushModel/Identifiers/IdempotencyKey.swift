// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Names one request, so that its repetition is known as such; chosen by the caller.
public struct IdempotencyKey: TextIdentifier {
    /// The header in which it comes.
    public static let field = "Idempotency-Key"

    /// What it must be.
    public static let rule = "1 to 255 bytes of UTF-8 without control characters"

    /// The text as the caller gave it.
    public let rawValue: String

    /// Wraps a text that is known to obey the rule.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the rule.
    public static func isValid(_ text: String) -> Bool { text.isPlain(bytes: 1...255) }
}
