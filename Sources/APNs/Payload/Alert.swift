// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What an ordinary push shows: the `alert` of `aps`.
public enum Alert: Hashable, Sendable {
    /// One text, written as a string.
    case text(String)
    /// Several texts, written as an object.
    case content(AlertContent)

    /// Title, subtitle and body, written as an object; what is nil is left out.
    public static func titled(_ title: AlertText?, subtitle: AlertText? = nil, body: AlertText? = nil) -> Alert {
        .content(AlertContent(title: title, subtitle: subtitle, body: body))
    }
}

extension Alert: ExpressibleByStringLiteral {
    /// One text, written as a string.
    public init(stringLiteral value: String) { self = .text(value) }
}
