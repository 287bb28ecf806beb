// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Metrics
import Telemetry

/// Records the counts of the client in the registry, with names that start with `apus_apns_`.
struct APNsMetrics: APNsClientMetrics {
    private let registry: MetricsRegistry
    private let accepted: Counter
    private let rejected: Counter
    private let retries: Counter
    private let responseDuration: Histogram

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        self.accepted = Counter(label: "apus_apns_accepted_total", factory: registry)
        self.rejected = Counter(label: "apus_apns_rejected_total", factory: registry)
        self.retries = Counter(label: "apus_apns_retries_total", factory: registry)
        self.responseDuration = registry.histogram("apus_apns_response_duration_seconds")
    }

    func connectionOpened(to host: String) {
        self.count("apus_apns_connections_opened_total", [("host", host)])
        self.connections(at: host).increment()
    }

    func connectionFailed(to host: String) {
        self.count("apus_apns_connections_failed_total", [("host", host)])
    }

    func connectionClosed(to host: String, by end: ConnectionCloseReason) {
        self.count("apus_apns_connections_closed_total", [("host", host), ("cause", end.rawValue)])
        self.connections(at: host).decrement()
    }

    func goAwayReceived(from host: String, reason: RejectionReason) {
        self.count("apus_apns_goaways_total", [("host", host), ("reason", reason.rawValue)])
    }

    func maxConcurrentStreamsChanged(by change: Int, at host: String) {
        Meter(label: "apus_apns_max_concurrent_streams", dimensions: [("host", host)], factory: self.registry)
            .increment(by: Double(change))
    }

    func connectionLimited(by reason: SendLimitReason?, before: SendLimitReason?, to host: String) {
        if let before { self.connections(at: host, limitedBy: before).decrement() }
        if let reason { self.connections(at: host, limitedBy: reason).increment() }
    }

    func responsesReceived(accepted: Int, rejected: Int) {
        self.accepted.increment(by: accepted)
        self.rejected.increment(by: rejected)
    }

    /// Each bucket counts at its upper bound; values beyond the last one count as twice that.
    func responsesReceived(in times: ResponseTimeHistogram) {
        let bounds = ResponseTimeHistogram.bounds + ResponseTimeHistogram.bounds.suffix(1).map { $0 * 2 }
        for (bound, count) in zip(bounds, times.buckets) where count > 0 {
            self.responseDuration.record(bound / .seconds(1), count: count)
        }
    }

    func retried(_ count: Int) { self.retries.increment(by: count) }

    private func connections(at host: String) -> Meter {
        Meter(label: "apus_apns_connections", dimensions: [("host", host)], factory: self.registry)
    }

    private func connections(at host: String, limitedBy reason: SendLimitReason) -> Meter {
        let dimensions = [("host", host), ("reason", reason.rawValue)]
        return Meter(label: "apus_apns_connections_limited", dimensions: dimensions, factory: self.registry)
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) {
        Counter(label: label, dimensions: dimensions, factory: self.registry).increment()
    }
}
