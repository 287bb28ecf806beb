// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The rules of one name, of which one has to hold.
struct FilterRules: Hashable, Sendable {
    /// Texts, exactly.
    var texts: Set<String> = []
    /// Texts, whatever their case, in lower case.
    var foldedTexts: Set<String> = []
    /// Numbers.
    var numbers: Set<Double> = []
    /// `true`, `false` and `null`.
    var words: Set<JSONValue> = []
    var prefixes: [String] = []
    var suffixes: [String] = []
    var ranges: [NumericRange] = []
    var networks: [IPNetwork] = []
    var exclusions: [FilterExclusion] = []
    /// Whether `{"exists": true}` and `{"exists": false}` are among the rules.
    var exists: Set<Bool> = []

    /// Whether one of the rules holds.
    func match(_ field: FilterValues.Field) -> Bool {
        self.exists.contains(field.exists) || field.values.contains(where: self.match)
    }

    private func match(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): self.match(text)
        case .integer(let number): self.match(Double(number), value)
        case .double(let number): self.match(number, value)
        default: self.words.contains(value) || self.exclusions.contains { $0.match(value) }
        }
    }

    private func match(_ text: String) -> Bool {
        if self.texts.contains(text) { return true }
        if !self.foldedTexts.isEmpty, self.foldedTexts.contains(text.lowercased()) { return true }
        if self.prefixes.contains(where: { text.utf8.starts(with: $0.utf8) }) { return true }
        if self.suffixes.contains(where: { text.utf8.reversed().starts(with: $0.utf8.reversed()) }) { return true }
        if !self.networks.isEmpty, let address = IPAddress(text),
            self.networks.contains(where: { $0.contains(address) })
        {
            return true
        }
        return self.exclusions.contains { $0.match(.string(text)) }
    }

    private func match(_ number: Double, _ value: JSONValue) -> Bool {
        self.numbers.contains(number) || self.ranges.contains { $0.contains(number) }
            || self.exclusions.contains { $0.match(value) }
    }
}

/// Every value but these: a rule `anything-but`.
///
/// What is absent does not match.
struct FilterExclusion: Hashable, Sendable {
    var texts: Set<String> = []
    var numbers: Set<Double> = []
    /// A text must not begin with it.
    var prefix: String?

    /// Whether the value is none of these.
    func match(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text):
            if let prefix = self.prefix { return !text.utf8.starts(with: prefix.utf8) }
            return !self.texts.contains(text)
        case .integer(let number): return !self.numbers.contains(Double(number))
        case .double(let number): return !self.numbers.contains(number)
        default: return true
        }
    }
}
