// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What people are told of a metric.
public struct MetricDescription: Hashable, Sendable {
    /// The name, without what a histogram adds to it.
    ///
    /// By convention, a counter's name ends in `_total`, and every name has its unit.
    public let name: String

    public let kind: MetricKind

    /// The names of its labels.
    public let labels: [String]

    /// What it says, in a sentence.
    public let meaning: String

    public init(_ name: String, _ kind: MetricKind, labels: [String] = [], _ meaning: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.meaning = meaning
    }
}

/// What kind of numbers a metric has, as the exposition format calls it.
public enum MetricKind: String, Hashable, Sendable, CaseIterable {
    /// It only ever grows, from zero at the start of the process.
    case counter

    /// It goes up and down.
    case gauge

    /// Observations, counted in fixed buckets.
    case histogram
}
