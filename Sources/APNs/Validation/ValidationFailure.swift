// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One value that breaks one rule: which field, what the rule asks, and what was found.
///
/// No secret and no whole device token ever stands in ``value``; long values are given by size or kind.
public struct ValidationFailure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Where the value stands: a header name, a dotted path into the payload (`aps.sound.volume`), or a parameter.
    public var field: String
    /// What is allowed there, as a phrase that follows "expected": `"0...1"`, `"at most 64 bytes of UTF-8"`.
    public var rule: String
    /// What was found, short and redacted: the value itself where it is harmless, else its size or kind.
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
