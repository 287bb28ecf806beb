// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ConfigurationKey {
    /// What values have to be, as a phrase that follows "expected".
    var rule: String {
        switch self.kind {
        case .text: "a text that is not empty"
        case .integer(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .url(let schemes): "a URL that begins with \(schemes.map { "\($0)://" }.joined(separator: " or "))"
        case .choice(let choices): "one of \(choices.joined(separator: ", "))"
        case .list(let choices): "some of \(choices.joined(separator: ", ")) with commas between, or none"
        }
    }

    /// Whether a value obeys the rule.
    func allows(_ value: String) -> Bool {
        switch self.kind {
        case .text: !value.isEmpty
        case .integer(let range): Int(value).map(range.contains) ?? false
        case .boolean: ["true", "false"].contains(value)
        case .url(let schemes): schemes.contains { value.hasPrefix("\($0)://") }
        case .choice(let choices): choices.contains(value)
        case .list(let choices):
            value == "none" || !value.isEmpty && value.split(separator: ",").allSatisfy { choices.contains(String($0)) }
        }
    }
}
