// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Metrics
import Telemetry
import Testing

@Suite("The registry of metrics")
struct MetricsRegistryTests {
    @Test("counters add up whoever counts, and each combination of labels is a series of its own")
    func counters() async throws {
        let registry = MetricsRegistry()
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<1000 {
                        let dimensions = [("lane", number % 2 == 0 ? "urgent" : "bulk"), ("app", "x")]
                        Counter(label: "sent_total", dimensions: dimensions, factory: registry).increment(by: 2)
                    }
                }
            }
        }
        // The order in which labels are given does not matter.
        Counter(label: "sent_total", dimensions: [("app", "x"), ("lane", "bulk")], factory: registry).increment()
        let text = try PrometheusText(registry.text())
        #expect(text.families["sent_total"]?.type == "counter")
        #expect(text.value("sent_total", ["lane": "urgent", "app": "x"]) == 8000)
        #expect(text.value("sent_total", ["lane": "bulk", "app": "x"]) == 8001)
    }

    @Test("gauges show what was set last, and what was added since")
    func gauges() throws {
        let registry = MetricsRegistry()
        let meter = Meter(label: "depth", factory: registry)
        meter.set(7)
        meter.increment(by: 0.5)
        meter.decrement(by: 10.0)
        registry.set("process_cpu_seconds_total", as: .counter, to: 1.25)
        let text = try PrometheusText(registry.text())
        #expect(text.value("depth") == -2.5)
        #expect(text.families["process_cpu_seconds_total"]?.type == "counter")
        #expect(text.value("process_cpu_seconds_total") == 1.25)
    }

    @Test("histograms count into the buckets of their unit, with sum and count")
    func histograms() throws {
        let registry = MetricsRegistry()
        let timer = Timer(label: "wait_seconds", factory: registry)
        timer.recordMilliseconds(1)
        timer.recordSeconds(3)
        timer.recordSeconds(1_000_000)
        registry.histogram("wait_seconds").record(0.001, count: 10)
        registry.histogram("body_bytes").record(Int64(65))
        let text = try PrometheusText(registry.text())
        #expect(text.value("wait_seconds_bucket", ["le": "0.0005"]) == 0)
        #expect(text.value("wait_seconds_bucket", ["le": "0.001"]) == 11)
        #expect(text.value("wait_seconds_bucket", ["le": "5"]) == 12)
        #expect(text.value("wait_seconds_bucket", ["le": "7200"]) == 12)
        #expect(text.value("wait_seconds_bucket", ["le": "+Inf"]) == 13)
        #expect(text.value("wait_seconds_count") == 13)
        #expect(text.value("wait_seconds_sum") == 1_000_003.011)
        #expect(text.value("body_bytes_bucket", ["le": "64"]) == 0)
        #expect(text.value("body_bytes_bucket", ["le": "256"]) == 1)
    }

    @Test("however many values a label has, a metric has a bounded number of series, and nothing is lost in the sum")
    func cardinality() throws {
        var configuration = MetricsRegistryConfiguration()
        configuration.maximumSeriesPerMetric = 10
        configuration.maximumSeries = 25
        let registry = MetricsRegistry(configuration: configuration)
        for metric in ["a_total", "b_total", "c_total"] {
            for app in 0..<1000 {
                Counter(label: metric, dimensions: [("app", "app \(app)")], factory: registry).increment()
            }
        }
        let text = try PrometheusText(registry.text())
        for (metric, own) in [("a_total", 10), ("b_total", 10), ("c_total", 3)] {
            let samples = try #require(text.families[metric]?.samples)
            #expect(samples.count == own + 1)
            #expect(samples.reduce(0) { $0 + $1.value } == 1000)
            #expect(text.value(metric, ["app": "overflow"]) == Double(1000 - own))
        }
    }

    @Test("a metric keeps its kind: what is of another one under its name is not shown")
    func kinds() throws {
        let registry = MetricsRegistry()
        Counter(label: "x", factory: registry).increment()
        Meter(label: "x", factory: registry).set(5)
        Timer(label: "x", factory: registry).recordSeconds(1)
        let text = try PrometheusText(registry.text())
        #expect(text.families.keys.sorted() == ["x"])
        #expect(text.value("x") == 1)
    }

    @Test("what has to be looked up is looked up whenever the text is written")
    func collectors() throws {
        let registry = MetricsRegistry()
        registry.addCollector { $0.set("looked_up", to: 3) }
        #expect(try PrometheusText(registry.text()).value("looked_up") == 3)
    }
}
