// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// An identifier that is a short text, each kind with a type of its own so that no two can be mixed up.
///
/// A value always obeys its kind's ``rule``: every initializer checks it.
public protocol TextIdentifier: RawRepresentable, Hashable, Comparable, Codable, Sendable,
    CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String, StringLiteralType == String {
    /// The name of the field in which callers give such an identifier, used in validation failures.
    static var field: String { get }

    /// What a text must be to be such an identifier, in words.
    static var rule: String { get }

    /// Whether a text obeys the ``rule``.
    static func isValid(_ text: String) -> Bool

    /// Wraps a text that is known to be valid; use ``init(validating:)`` everywhere else.
    init(unchecked text: String)
}

extension TextIdentifier {
    /// Takes a text that came from outside.
    ///
    /// - Throws: `ValidationFailure` with the field, the rule and the text's length when it is not valid.
    public init(validating text: String) throws(ValidationFailure) {
        guard Self.isValid(text) else {
            throw ValidationFailure(field: Self.field, rule: Self.rule, value: "\(text.utf8.count) bytes")
        }
        self.init(unchecked: text)
    }

    /// Takes a text, or answers `nil` when it breaks the ``rule``.
    public init?(rawValue: String) {
        guard Self.isValid(rawValue) else { return nil }
        self.init(unchecked: rawValue)
    }

    /// Takes a literal; a literal that breaks the ``rule`` is a programming error and ends the process.
    public init(stringLiteral value: String) {
        precondition(Self.isValid(value), "\(Self.self): the literal '\(value)' is not \(Self.rule)")
        self.init(unchecked: value)
    }

    /// The text itself.
    public var description: String { self.rawValue }

    /// Orders identifiers by their UTF-8 bytes, as the stores do.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension String {
    /// Whether the text has `range` UTF-8 bytes and no control characters.
    func isPlain(bytes range: ClosedRange<Int>) -> Bool {
        range.contains(self.utf8.count) && self.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
