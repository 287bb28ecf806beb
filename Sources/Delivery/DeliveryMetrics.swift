// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Metrics
import PushModel
import PushStore

/// Records metrics whose names begin with `apus_delivery_` and `apus_store_`.
///
/// Everything is counted per chunk or per claim, never per notification.
struct DeliveryMetrics: Sendable {
    private let factory: any MetricsFactory
    private let attempts: [Lane: Counter]
    private let queueWaits: [Lane: Metrics.Timer]
    private let settlementDelays: [Lane: Metrics.Timer]
    private let delivered: Counter
    private let completedBatches: Counter
    private let invalidated: Counter
    private let suspected: Counter
    private let inFlight: Meter
    private let rateLimited: Counter
    private let claimDuration: Metrics.Timer
    private let settleDuration: Metrics.Timer

    init(_ factory: any MetricsFactory) {
        func perLane<Metric>(_ make: ([(String, String)]) -> Metric) -> [Lane: Metric] {
            Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, make([("lane", $0.rawValue)])) })
        }
        func timer(_ label: String) -> [Lane: Metrics.Timer] {
            perLane { Metrics.Timer(label: label, dimensions: $0, factory: factory) }
        }
        self.factory = factory
        self.attempts = perLane { Counter(label: "apus_delivery_attempts_total", dimensions: $0, factory: factory) }
        self.queueWaits = timer("apus_delivery_queue_wait_seconds")
        self.settlementDelays = timer("apus_delivery_settlement_delay_seconds")
        self.delivered = Self.outcomes("delivered", "", factory)
        self.completedBatches = Self.batches(.completed, factory)
        self.invalidated = Counter(label: "apus_delivery_devices_invalidated_total", factory: factory)
        self.suspected = Counter(label: "apus_delivery_devices_suspected_total", factory: factory)
        self.inFlight = Meter(label: "apus_delivery_in_flight", factory: factory)
        self.rateLimited = Counter(label: "apus_delivery_rate_limited_targets_total", factory: factory)
        self.claimDuration = Metrics.Timer(label: "apus_store_claim_duration_seconds", factory: factory)
        self.settleDuration = Metrics.Timer(label: "apus_store_settle_duration_seconds", factory: factory)
    }

    /// Records the duration of a claim, the outcomes of batches that it ended, and the delay of batches claimed for the
    /// first time.
    func claimed(_ claim: BatchClaim, in lane: Lane, took duration: Duration, at now: Date) {
        self.claimDuration.record(duration: duration)
        self.count(claim.ended)
        for claimed in claim.batches where claimed.cursor == 0 && claimed.due.isEmpty {
            self.handedOver(claimed, in: lane, at: now)
        }
    }

    /// Records the time since a batch was accepted, at its first claim or handoff.
    func handedOver(_ claimed: ClaimedBatch, in lane: Lane, at now: Date) {
        self.queueWaits[lane]?.recordSeconds(max(0, now.timeIntervalSince(claimed.batch.createdAt)))
    }

    func count(_ result: BatchProcessingResult) {
        (result == .completed ? self.completedBatches : Self.batches(result, self.factory)).increment()
    }

    private static func batches(_ result: BatchProcessingResult, _ factory: any MetricsFactory) -> Counter {
        Counter(label: "apus_delivery_batches_total", dimensions: [("result", result.rawValue)], factory: factory)
    }

    func attempted(_ count: Int, in lane: Lane) { self.attempts[lane]?.increment(by: count) }

    /// Sets the number of targets that are passed to the client and not settled.
    func isInFlight(_ count: Int) { self.inFlight.set(count) }

    /// Counts bulk targets that wait because there is urgent work.
    func rateLimited(_ count: Int) { self.rateLimited.increment(by: count) }

    /// Records the duration of a settlement, and the time since its batch was claimed.
    func settled(in duration: Duration, age: Duration, lane: Lane) {
        self.settleDuration.record(duration: duration)
        self.settlementDelays[lane]?.record(duration: age)
    }

    func count(_ counts: OutcomeCounts, invalidated: Int = 0, suspected: Int = 0) {
        self.delivered.increment(by: counts.delivered)
        for (reason, count) in counts.rejected {
            Self.outcomes("rejected", reason.rawValue, self.factory).increment(by: count)
        }
        for (code, count) in counts.failed where count > 0 {
            Self.outcomes("failed", code.rawValue, self.factory).increment(by: count)
        }
        self.invalidated.increment(by: invalidated)
        self.suspected.increment(by: suspected)
    }

    func putOff(_ counts: [String: Int]) {
        for (reason, count) in counts {
            let dimensions = [("reason", reason)]
            Counter(label: "apus_delivery_deferrals_total", dimensions: dimensions, factory: self.factory)
                .increment(by: count)
        }
    }

    func opened(_ line: Circuit, _ cause: CircuitBreaker.Cause) {
        let dimensions = [("cause", cause.name)]
        Counter(label: "apus_delivery_circuit_breaker_opened_total", dimensions: dimensions, factory: self.factory)
            .increment()
        self.isOpen(line).set(1)
    }

    /// Records that a circuit closed, or is no longer used.
    func closed(_ line: Circuit) { self.isOpen(line).set(0) }

    private func isOpen(_ line: Circuit) -> Meter {
        let dimensions = [
            ("app", line.app.rawValue), ("environment", line.environment.rawValue),
            ("credential", line.credential.rawValue),
        ]
        return Meter(label: "apus_delivery_circuit_breaker_open", dimensions: dimensions, factory: self.factory)
    }

    private static func outcomes(_ outcome: String, _ reason: String, _ factory: any MetricsFactory) -> Counter {
        let dimensions = [("outcome", outcome), ("reason", reason)]
        return Counter(label: "apus_delivery_outcomes_total", dimensions: dimensions, factory: factory)
    }
}
