// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A text of an alert: given as it is, or looked up on the device in the user's language.
public enum AlertText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text itself.
    case plain(String)
    /// A key of the app's `Localizable.strings`, and what replaces its `%@` and `%n$@`.
    case localized(key: String, arguments: [String] = [])

    /// The text itself.
    public init(stringLiteral value: String) { self = .plain(value) }
}
