// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Metrics
import Telemetry
import Testing

@Suite("Prometheus text")
struct ExpositionTests {
    @Test("the text is exactly what the format asks for")
    func exact() {
        var configuration = MetricsRegistryConfiguration()
        configuration.descriptions = [MetricDescription("b_total", .counter, labels: ["x"], "Of \"b\" \\ lines:\ntwo.")]
        let registry = MetricsRegistry(configuration: configuration)
        Counter(label: "b_total", dimensions: [("x", "2")], factory: registry).increment(by: 3)
        Counter(label: "b_total", dimensions: [("x", "1")], factory: registry).increment()
        Meter(label: "a", factory: registry).set(0.25)
        let expected = """
            # TYPE a gauge
            a 0.25
            # HELP b_total Of "b" \\\\ lines:\\ntwo.
            # TYPE b_total counter
            b_total{x="1"} 1
            b_total{x="2"} 3

            """
        #expect(registry.text() == expected)
    }

    @Test(
        "whatever stands in a label comes out as it was",
        arguments: ["", "a\"b", "back\\slash", "two\nlines", "\\n", "{},=", "日本 🍣", "\u{0}", "trailing\\"]
    )
    func labels(value: String) throws {
        let registry = MetricsRegistry()
        Counter(label: "n_total", dimensions: [("app", value)], factory: registry).increment()
        #expect(try PrometheusText(registry.text()).value("n_total", ["app": value]) == 1)
    }

    @Test("names that the format does not know are changed, long values cut between two characters")
    func names() throws {
        var configuration = MetricsRegistryConfiguration()
        configuration.maximumLabelBytes = 5
        let registry = MetricsRegistry(configuration: configuration)
        let dimensions = [("le", "1"), ("__name__", "2"), ("a-b", "寿司"), ("9", "4"), ("a_b", "5")]
        Counter(label: "9 lives.total", dimensions: dimensions, factory: registry).increment()
        let text = try PrometheusText(registry.text())
        let labels = ["exported_le": "1", "exported___name__": "2", "a_b": "寿", "_9": "4"]
        #expect(text.value("_9_lives_total", labels) == 1)
    }

    @Test("numbers that are none, and infinite ones, are written as the format has them")
    func numbers() throws {
        let registry = MetricsRegistry()
        for (name, value) in [("a", Double.nan), ("b", .infinity), ("c", -.infinity), ("d", 1e300), ("e", 1e-9)] {
            registry.set(name, to: value)
        }
        let text = try PrometheusText(registry.text())
        #expect(text.value("a")?.isNaN == true)
        #expect(["b", "c", "d", "e"].map { text.value($0) } == [.infinity, -.infinity, 1e300, 1e-9])
    }

    @Test(
        "the reader refuses what the format does not allow",
        arguments: [
            "x 1", "x 1\n", "# TYPE x gauge\nx one\n", "# TYPE x gauge\nx{a=1} 1\n", "# TYPE x gauge\nx{a=\"1} 1\n",
            "# TYPE x gauge\nx 1\nx 2\n", "# TYPE x gauge\n# TYPE x gauge\n", "# TYPE x thing\n",
            "# TYPE x gauge\nx{a=\"\\t\"} 1\n", "# TYPE x histogram\nx_bucket{le=\"1\"} 1\nx_sum 1\nx_count 1\n",
            "# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"+Inf\"} 1\nx_sum 1\nx_count 1\n",
        ]
    )
    func reader(text: String) {
        #expect(throws: PrometheusTextError.self) { try PrometheusText(text) }
    }

    @Test("a process tells of its memory, its time and its descriptors")
    func process() throws {
        let registry = MetricsRegistry()
        ProcessMetrics.add(to: registry, startedAt: Date(timeIntervalSince1970: 1_767_225_600))
        let text = try PrometheusText(registry.text())
        #expect(text.value("process_start_time_seconds") == 1_767_225_600)
        #expect((text.value("process_cpu_seconds_total") ?? 0) > 0)
        #if os(Linux)
        #expect((text.value("process_resident_memory_bytes") ?? 0) > 1_000_000)
        #expect((text.value("process_open_fds") ?? 0) >= 1)
        #endif
        #expect(Set(text.families.keys).isSubset(of: ProcessMetrics.descriptions.map(\.name)))
    }
}
