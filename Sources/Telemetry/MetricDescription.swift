// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What people are told of a metric.
public struct MetricDescription: Hashable, Sendable {
    /// The name, without what a histogram adds to it.
    public let name: String

    /// What kind of numbers it has.
    public let kind: MetricKind

    /// The names of its labels.
    public let labels: [String]

    /// What it says, in a sentence.
    public let meaning: String

    /// Describes a metric.
    ///
    /// - Parameters:
    ///   - name: its name; by convention a counter's ends in `_total`, and all name their unit.
    ///   - kind: what kind of numbers it has.
    ///   - labels: the names of its labels.
    ///   - meaning: what it says, in a sentence.
    public init(_ name: String, _ kind: MetricKind, labels: [String] = [], _ meaning: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.meaning = meaning
    }
}
