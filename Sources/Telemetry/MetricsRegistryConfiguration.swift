// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How much a registry keeps.
public struct MetricsRegistryConfiguration: Sendable {
    /// The most series of one metric, one for each combination of label values.
    ///
    /// Range: 1 or more. Default: 500. What is beyond that is added up in one series whose labels all say `overflow`.
    public var maximumSeriesPerMetric = 500

    /// The most series of all metrics.
    ///
    /// Range: 1 or more. Default: 10,000.
    public var maximumSeries = 10_000

    /// The longest value of a label in bytes of UTF-8; what is longer is cut.
    ///
    /// Default: 200.
    public var maximumLabelBytes = 200

    /// What is said of the metrics, by their names.
    ///
    /// Default: nothing.
    public var descriptions: [MetricDescription] = []

    /// The documented defaults.
    public init() {}
}
