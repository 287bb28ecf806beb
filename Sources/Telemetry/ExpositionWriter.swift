// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Writes Prometheus' text format 0.0.4.
///
/// See <https://prometheus.io/docs/instrumenting/exposition_formats/>.
struct ExpositionWriter {
    private(set) var text = ""

    /// Writes a metric with all of its series, these in the order of their labels.
    mutating func write(_ name: String, _ family: MetricFamily, meaning: String?) {
        if let meaning { self.text += "# HELP \(name) \(Self.escape(meaning, quotes: false))\n" }
        self.text += "# TYPE \(name) \(family.kind.rawValue)\n"
        let series = family.series.map { (labels: Self.labels($0.key), series: $0.value) }
        for (labels, series) in series.sorted(by: { $0.labels < $1.labels }) {
            switch series {
            case .counter(let counter): self.line(name, labels, "\(counter.value)")
            case .gauge(let gauge): self.line(name, labels, Self.number(gauge.value))
            case .histogram(let histogram): self.write(name, labels, histogram)
            }
        }
    }

    private mutating func write(_ name: String, _ labels: String, _ histogram: Histogram) {
        let state = histogram.snapshot
        let prefix = labels.isEmpty ? "" : "\(labels),"
        var total = 0
        for (bound, count) in zip(histogram.bounds + [.infinity], state.counts) {
            total += count
            self.line("\(name)_bucket", "\(prefix)le=\"\(Self.number(bound))\"", "\(total)")
        }
        self.line("\(name)_sum", labels, Self.number(state.sum))
        self.line("\(name)_count", labels, "\(total)")
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        self.text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    private static func labels(_ set: LabelSet) -> String {
        set.labels.map { "\($0.name)=\"\(self.escape($0.value, quotes: true))\"" }.joined(separator: ",")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        guard value.magnitude < 1e15, let whole = Int64(exactly: value) else { return "\(value)" }
        return "\(whole)"
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
