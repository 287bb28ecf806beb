// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// All series of one metric.
struct MetricFamily {
    /// One series, by what it holds.
    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(Histogram)
    }

    let kind: MetricKind
    var series: [LabelSet: Series] = [:]

    init(_ kind: MetricKind) {
        self.kind = kind
    }
}
