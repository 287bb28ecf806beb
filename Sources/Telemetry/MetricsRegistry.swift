// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Metrics
import Synchronization

/// A backend of swift-metrics that keeps everything in memory and writes it as Prometheus text.
///
/// Counting and setting are atomic operations on the series; only finding a series by its labels takes a lock. The
/// number of series is bounded, regardless of the label values: see ``MetricsRegistryConfiguration``. Meters, and
/// recorders that do not aggregate, are gauges; timers and other recorders are histograms, with buckets for the unit
/// that the name ends in.
package final class MetricsRegistry: MetricsFactory {
    private struct State {
        var families: [String: MetricFamily] = [:]
        var seriesCount = 0
        var collectors: [@Sendable (MetricsRegistry) -> Void] = []
    }

    private let configuration: MetricsRegistryConfiguration
    private let descriptions: [String: MetricDescription]
    private let state = Mutex(State())

    package init(configuration: MetricsRegistryConfiguration = MetricsRegistryConfiguration()) {
        self.configuration = configuration
        self.descriptions = Dictionary(configuration.descriptions.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Adds a function that is called before the metrics are written, to set metrics that must be queried.
    package func addCollector(_ collector: @escaping @Sendable (MetricsRegistry) -> Void) {
        self.state.withLock { $0.collectors.append(collector) }
    }

    /// All metrics in Prometheus' text format 0.0.4, in the order of their names.
    package func text() -> String {
        for collector in self.state.withLock(\.collectors) { collector(self) }
        var writer = ExpositionWriter()
        for (name, family) in self.state.withLock(\.families).sorted(by: { $0.key < $1.key }) {
            writer.write(name, family, meaning: self.descriptions[name]?.meaning)
        }
        return writer.text
    }

    // MARK: Series

    /// The histogram of that name and these labels; it is made when there is none.
    package func histogram(_ name: String, _ dimensions: [(String, String)] = []) -> Histogram {
        let bounds = HistogramBuckets.bounds(for: name)
        let found = self.series(name, dimensions, .histogram) { .histogram(Histogram(bounds: bounds)) }
        if case .histogram(let histogram) = found { return histogram }
        return Histogram(bounds: bounds)
    }

    /// Sets a number that was looked up.
    ///
    /// `kind` is `gauge`, or `counter` for a number that others count.
    package func set(
        _ name: String,
        _ dimensions: [(String, String)] = [],
        as kind: MetricKind = .gauge,
        to value: Double
    ) {
        if case .gauge(let gauge) = self.series(name, dimensions, kind, { .gauge(GaugeSeries()) }) { gauge.set(value) }
    }

    /// Finds a series, or creates it.
    ///
    /// - Returns: the series; an unexported one if the metric has another type.
    private func series(
        _ name: String,
        _ dimensions: [(String, String)],
        _ kind: MetricKind,
        _ make: () -> MetricFamily.Series
    ) -> MetricFamily.Series {
        let name = MetricName.metric(name)
        var labels = LabelSet(dimensions, maximumBytes: self.configuration.maximumLabelBytes)
        return self.state.withLock { state in
            var family = state.families[name] ?? MetricFamily(kind)
            guard family.kind == kind else { return make() }
            if let found = family.series[labels] { return found }
            let isFull =
                family.series.count >= self.configuration.maximumSeriesPerMetric
                || state.seriesCount >= self.configuration.maximumSeries
            if isFull, !labels.labels.isEmpty {
                labels = labels.overflow
                if let found = family.series[labels] { return found }
            }
            let made = make()
            family.series[labels] = made
            state.seriesCount += 1
            state.families[name] = family
            return made
        }
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let found = self.series(label, dimensions, .counter) { .counter(CounterSeries()) }
        if case .counter(let counter) = found { return counter }
        return CounterSeries()
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.gauge(label, dimensions)
    }

    /// The histogram of that name and these labels; a gauge where nothing is to be aggregated.
    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return self.histogram(label, dimensions) }
        return self.gauge(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.histogram(label, dimensions)
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
        if case .gauge(let gauge) = self.series(label, dimensions, .gauge, { .gauge(GaugeSeries()) }) { return gauge }
        return GaugeSeries()
    }

    // Series stay until the process ends: Prometheus takes one that vanishes for an outage.

    package func destroyCounter(_ handler: any CounterHandler) {}

    package func destroyMeter(_ handler: any MeterHandler) {}

    package func destroyRecorder(_ handler: any RecorderHandler) {}

    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// How much a registry keeps.
package struct MetricsRegistryConfiguration: Sendable {
    /// The maximum number of series of one metric, one for each combination of label values.
    ///
    /// Range: 1 or more. Default: 500. Values beyond that are added to one series whose labels all are `overflow`.
    package var maximumSeriesPerMetric = 500

    /// The most series of all metrics.
    ///
    /// Range: 1 or more. Default: 10,000.
    package var maximumSeries = 10_000

    /// The maximum size of a label value in bytes of UTF-8; longer values are truncated.
    ///
    /// Default: 200.
    package var maximumLabelBytes = 200

    /// The descriptions of the metrics, by their names.
    ///
    /// Default: none.
    package var descriptions: [MetricDescription] = []

    package init() {}
}
