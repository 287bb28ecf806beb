// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A compiled filter policy, or the part of one below a name: all that it asks for has to hold.
struct FilterNode: Hashable, Sendable {
    /// What the values of names have to be.
    var rules: [String: [FilterRules]] = [:]
    /// What has to hold below names.
    var children: [String: FilterNode] = [:]
    /// Choices: of each one part has to hold.
    var choices: [[FilterNode]] = []

    /// Whether the values hold; `nil` stands for values that are not there.
    func matches(_ values: FilterValues) -> Bool {
        self.rules.allSatisfy { name, rules in
            let field = values.field(name)
            return rules.allSatisfy { $0.match(field) }
        }
            && self.children.allSatisfy { name, node in values.objects(name).contains(where: node.matches) }
            && self.choices.allSatisfy { parts in parts.contains { $0.matches(values) } }
    }
}
