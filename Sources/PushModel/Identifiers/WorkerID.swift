// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A delivery process, or one of its loops, as the holder of leases; unique among all that share a store.
public struct WorkerID: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "worker"

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
