// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Replaces texts that differ from run to run by placeholders, equal texts by equal placeholders.
struct Placeholders {
    private let random: Regex<AnyRegexOutput>
    private let hidden: Set<String>
    private var kept: [(text: String, placeholder: String)] = []
    private var numbered: [String: String] = [:]

    init(random: Regex<AnyRegexOutput>, hidden: Set<String>) {
        self.random = random
        self.hidden = hidden
    }

    /// Replaces a text wherever it occurs from now on.
    ///
    /// Short texts are left alone, because they occur by chance.
    mutating func add(_ text: String, _ placeholder: String) {
        guard text.utf8.count >= 8 else { return }
        self.kept.append((text, placeholder))
        // A text may contain another one.
        self.kept.sort { $0.text.utf8.count > $1.text.utf8.count }
    }

    mutating func replace(in value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(self.replace(in: text))
        case .array(let elements): return .array(elements.map { self.replace(in: $0) })
        case .object(let members):
            var result: [String: JSONValue] = [:]
            // Sorted, so that the placeholders have the same numbers in each run.
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let isHidden = self.hidden.contains(name) && member != .null
                result[self.replace(in: name)] = isHidden ? .string("<\(name)>") : self.replace(in: member)
            }
            return .object(result)
        default: return value
        }
    }

    private mutating func replace(in text: String) -> String {
        var text = text
        for (kept, placeholder) in self.kept where text.utf8.count >= kept.utf8.count {
            text = text.replacing(kept, with: placeholder)
        }
        for match in text.matches(of: self.random) {
            let found = String(text[match.range])
            self.numbered[found] = self.numbered[found] ?? "<id \(self.numbered.count + 1)>"
        }
        return text.replacing(self.random) { self.numbered[String(text[$0.range])] ?? "" }
    }
}
