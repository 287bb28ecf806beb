// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// An invalid value: the field, the rule, and the value that was found.
///
/// ``value`` never contains a secret or a complete device token; long values are described by size or kind.
public struct ValidationFailure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The location of the value: a header name, a dotted path into the payload (`aps.sound.volume`), or a parameter.
    public var field: String
    /// The valid values, as a phrase that follows "expected": `"0...1"`, `"at most 64 bytes of UTF-8"`.
    public var rule: String
    /// The value that was found, short and redacted: the value itself if it is harmless, otherwise its size or kind.
    public var value: String

    /// A failure of `rule` at `field`; `value` is cut to 80 characters.
    public init(field: String, rule: String, value: String) {
        self.field = field
        self.rule = rule
        self.value = value.count <= 80 ? value : "\(value.prefix(77))..."
    }

    /// The whole failure as one sentence for people.
    public var message: String { "\(self.field): expected \(self.rule), got \(self.value)" }

    /// The same as ``message``.
    public var description: String { self.message }
}
