// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Logging
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Telemetry
import Testing

@Suite("Stores: reports of corrupt rows", .timeLimit(.minutes(20)))
struct CorruptRowReportTests {
    private static func count(of table: String, in metrics: MetricsRegistry) throws -> Double? {
        try PrometheusText(metrics.text()).value("apus_store_corrupt_rows_total", ["table": table])
    }

    @Test("the log has one line for each table and minute, with the first row and their number; each row is counted")
    func lines() throws {
        let logs = LogRecorder()
        let metrics = MetricsRegistry()
        let time = Mutex(ContinuousClock.now)
        let log = CorruptRowLog(logs.logger, metrics: metrics, now: { time.withLock { $0 } })
        func damage(_ id: String, in table: String) throws {
            let value: Int? = try log.observe {
                try readable(id, in: table) { throw StoreError.damaged("number") }
            }
            #expect(value == nil)
        }
        for id in ["a", "b", "c"] { try damage(id, in: "devices") }
        try damage("d", in: "webhooks")
        #expect(logs.lines.count == 2)
        #expect(logs.lines.first?.contains(#""rows": 1"#) == true, "\(logs.lines)")
        time.withLock { $0 += .seconds(60) }
        try damage("e", in: "devices")
        #expect(logs.lines.count == 3)
        for part in [#""table": devices"#, #""first": b"#, #""rows": 3"#] {
            #expect(logs.lines.last?.contains(part) == true, "\(logs.lines)")
        }
        #expect(try Self.count(of: "devices", in: metrics) == 4)
        #expect(try Self.count(of: "webhooks", in: metrics) == 1)
    }

    @Test("a list that leaves out a row reports it, whoever reads the list", arguments: TestStoreBackend.allCases)
    func lists(kind: TestStoreBackend) async throws {
        let logs = LogRecorder()
        let metrics = MetricsRegistry()
        try await withStoreAndDatabase(kind, logger: logs.logger, metrics: metrics) { store, damage in
            try await store.addSampleApp()
            for id in ["wh_1", "wh_2"] as [WebhookID] { try await store.createWebhook(StoreFixtures.webhook(id)) }
            try await damage("UPDATE @webhooks SET failures = -1 WHERE id = 'wh_1'")
            for _ in 0..<2 {
                let listed = try await store.webhooks(of: StoreFixtures.app).map(\.id)
                #expect(listed == ["wh_2"], "the webhooks")
            }
            #expect(try Self.count(of: "webhooks", in: metrics) == 2, "how often the row was left out")
            let told = logs.lines.filter { $0.contains("Skipped corrupt rows") }
            #expect(told.count == 1, "\(told)")
            #expect(told.first?.contains("app_id \(StoreFixtures.app), id wh_1") == true, "\(told)")
        }
    }

    @Test("rows that are whole are not reported", arguments: TestStoreBackend.allCases)
    func whole(kind: TestStoreBackend) async throws {
        let metrics = MetricsRegistry()
        try await withStoreAndDatabase(kind, metrics: metrics) { store, _ in
            try await store.addSampleApp()
            try await store.addDevices(0..<3)
            let devices = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 10)
            #expect(devices.elements.count == 3, "the devices")
            #expect(!metrics.text().contains("apus_store_corrupt_rows_total"), "the metric")
        }
    }
}
