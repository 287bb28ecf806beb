// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The name of a broadcast channel within its app, of the caller's choice; APNs' own identifier is random.
public struct ChannelName: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "channel"

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
