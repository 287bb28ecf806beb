// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import Telemetry
import Testing

@testable import apus

@Suite("The metrics of a server", .timeLimit(.minutes(20)))
struct MetricsTests {
    private static func scrape(_ server: ServerInTest.Running) async throws -> PrometheusText {
        let answer = try await server.api.call(.get, "/metrics")
        return try PrometheusText(String(decoding: answer.body, as: UTF8.self))
    }

    @Test("obey the format, are all in the catalogue with their kind and labels, and tell what happened")
    func output() async throws {
        try await ServerInTest.with { simulator, server in
            let tokens = try simulator.bootDevices(20, apps: [ServerInTest.app]).map(\.hex)
            let sent = try await server.send(to: tokens + ["00ff"])
            _ = try await server.settled(sent.id)
            let text = try await Self.scrape(server)
            let catalogue = Dictionary(uniqueKeysWithValues: MetricCatalogue.all.map { ($0.name, $0) })
            for (name, family) in text.families {
                let metric = try #require(catalogue[name], "\(name)")
                #expect(family.type == metric.kind.rawValue, "\(name)")
                #expect(family.help == metric.meaning, "\(name)")
                for sample in family.samples {
                    #expect(Set(sample.labels.keys).subtracting(["le"]) == Set(metric.labels), "\(name)")
                }
            }
            // What only happens on bad days is not there yet, nor is what is planned: there are no campaigns and no jobs.
            let rare: Set = [
                "apus_delivery_deferrals_total",
                "apus_delivery_circuit_breaker_opened_total", "apus_delivery_circuit_breaker_open",
                "apus_apns_connections_failed_total", "apus_apns_connections_closed_total", "apus_apns_goaways_total",
                "apus_webhooks_requests_total", "apus_topics_requests_total", "apus_sns_requests_total",
                "apus_sns_skipped_apps_total", "apus_sns_endpoint_events_total",
                "apus_http_authentication_failures_total",
                "apus_work_expired_leases_total", "apus_work_quarantined_total",
                "apus_store_corrupt_rows_total", "apus_proxy_messages_total",
                "apus_tls_reloads_total", "apus_tls_certificate_expiry_timestamp_seconds", "apus_attestations_total",
            ]
            let planned = ["apus_campaign_", "apus_jobs_", "apus_rollout_", "apus_scheduling_"]
            let absent = Set(catalogue.keys).subtracting(text.families.keys)
                .filter { name in !planned.contains { name.hasPrefix($0) } }
            #expect(absent.isSubset(of: rare))

            #expect(text.value("apus_api_accepted_total", ["lane": "urgent"]) == 21)
            #expect(text.value("apus_delivery_outcomes_total", ["outcome": "delivered", "reason": ""]) == 20)
            let bad = ["outcome": "rejected", "reason": "BadDeviceToken"]
            #expect(text.value("apus_delivery_outcomes_total", bad) == 1)
            #expect(text.value("apus_apns_accepted_total") == 20)
            #expect(text.value("apus_apns_rejected_total") == 1)
            #expect(text.value("apus_apns_response_duration_seconds_count") == 21)
            #expect((text.value("apus_apns_connections", ["host": "localhost"]) ?? 0) >= 1)
            #expect((text.value("apus_apns_max_concurrent_streams", ["host": "localhost"]) ?? 0) >= 1)
            #expect(text.value("apus_store_accept_duration_seconds_count") == 1)
            #expect((text.value("process_resident_memory_bytes") ?? 0) > 1_000_000)
        }
    }

    @Test("a refused credential is told in the metrics and by the API, with Apple's word and what waits")
    func refused() async throws {
        try await ServerInTest.with { simulator, server in
            simulator.inject(SimulatorFault(.reject(.init(.invalidProviderToken))))
            let tokens = try simulator.bootDevices(3, apps: [ServerInTest.app]).map(\.hex)
            _ = try await server.send(to: tokens)
            var line: [String: Any]?
            while line?["state"] as? String != "open" {
                let answer = try await server.api.call(.get, "/v1/apps/\(ServerInTest.app)/delivery")
                let body = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
                line = (body?["circuits"] as? [[String: Any]])?.first
            }
            #expect(line?["reason"] as? String == "InvalidProviderToken")
            #expect(line?["cause"] as? String == "credential")
            #expect(line?["nextProbeAt"] != nil)
            #expect(((line?["queues"] as? [[String: Any]])?.first?["batches"] as? Int) == 1)
            let text = try await Self.scrape(server)
            #expect(text.value("apus_delivery_circuit_breaker_opened_total", ["cause": "credential"]) == 1)
            #expect(text.families["apus_delivery_circuit_breaker_open"]?.samples.map(\.value) == [1])
            simulator.clearFaults()
        }
    }

    @Test("the document lists every metric with its kind, labels and meaning")
    func document() throws {
        try DocumentTable.expect(
            MetricCatalogue.rows,
            below: "| metric | kind | labels | meaning |",
            in: "docs/metrics.md"
        )
    }

    @Test("names follow the conventions: prefix, unit, and _total for counters alone")
    func names() {
        for metric in MetricCatalogue.all {
            #expect(metric.name.hasPrefix("apus_") || metric.name.hasPrefix("process_"))
            #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter))
            #expect(metric.name.allSatisfy { $0.isLowercase || $0 == "_" })
            if metric.kind == .histogram { #expect(metric.name.hasSuffix("_seconds")) }
            #expect(metric.meaning.hasSuffix("."))
        }
    }

    @Test(
        "need a key on every address, unless they are made public",
        arguments: [
            ("127.0.0.1", nil, false), ("0.0.0.0", nil, false), ("0.0.0.0", "true", true), ("::1", "false", false),
        ]
    )
    func access(host: String, choice: String?, isPublic: Bool) throws {
        var flags: [ConfigurationKey: String] = [.host: host]
        flags[.metricsUnauthenticated] = choice
        let sources = try ConfigurationSources(flags: flags, environment: [:], file: nil)
        #expect(try ServerConfiguration(try sources.entries()).metricsAreUnauthenticated == isPublic)
    }
}
