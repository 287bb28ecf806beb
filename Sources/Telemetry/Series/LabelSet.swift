// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The labels of a series, in the order of their names.
struct LabelSet: Hashable, Sendable {
    /// One name with its value.
    struct Label: Hashable, Sendable {
        let name: String
        let value: String
    }

    let labels: [Label]

    /// Takes dimensions; names that the format does not know are changed into others, and each is there once.
    init(_ dimensions: [(String, String)], maximumBytes: Int) {
        var seen: Set<String> = []
        self.labels =
            dimensions
            .map { Label(name: MetricName.label($0.0), value: Self.cut($0.1, to: maximumBytes)) }
            .filter { seen.insert($0.name).inserted }
            .sorted { $0.name < $1.name }
    }

    private init(labels: [Label]) {
        self.labels = labels
    }

    /// The same labels, all with the value `overflow`.
    var overflow: LabelSet { LabelSet(labels: self.labels.map { Label(name: $0.name, value: "overflow") }) }

    /// Cuts a value between two characters.
    private static func cut(_ value: String, to maximumBytes: Int) -> String {
        guard value.utf8.count > maximumBytes else { return value }
        var cut = ""
        var room = maximumBytes
        for character in value {
            room -= character.utf8.count
            guard room >= 0 else { break }
            cut.append(character)
        }
        return cut
    }
}
