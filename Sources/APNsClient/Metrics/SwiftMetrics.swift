// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics

/// Reports to swift-metrics, under names that begin with `apns_client_`.
public struct SwiftMetrics: APNsClientMetrics {
    private let opened = Counter(label: "apns_client_connections_opened_total")
    private let failed = Counter(label: "apns_client_connections_failed_total")
    private let closed = Counter(label: "apns_client_connections_closed_total")
    private let accepted = Counter(label: "apns_client_accepted_total")
    private let rejected = Counter(label: "apns_client_rejected_total")
    private let resends = Counter(label: "apns_client_resent_total")

    /// Counters of the metrics system that was bootstrapped.
    public init() {}
    /// Counts the connection.
    public func connectionOpened(to host: String) { self.opened.increment() }
    /// Counts the attempt.
    public func connectionFailed(to host: String) { self.failed.increment() }
    /// Counts the end.
    public func connectionClosed(to host: String, by end: ConnectionEnd) { self.closed.increment() }
    /// Counts the answers.
    public func answered(accepted: Int, rejected: Int) {
        self.accepted.increment(by: accepted)
        self.rejected.increment(by: rejected)
    }
    /// Counts the resends.
    public func resent(_ count: Int) { self.resends.increment(by: count) }
}
