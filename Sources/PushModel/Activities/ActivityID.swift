// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One Live Activity of an app, named by whoever makes it: a lesson, a ride, a match.
public struct ActivityID: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "activity"

    /// See ``TextIdentifier/rule``.
    public static let rule = "1 to 128 bytes of UTF-8 without control characters"

    /// The text itself.
    public let rawValue: String

    /// Wraps a text that is known to be valid.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the ``rule``.
    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...128)
    }
}
