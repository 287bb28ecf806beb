// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Metrics
import PushModel
import PushStore

/// Reports to swift-metrics, under names that begin with `apus_delivery_` and `apus_store_`.
///
/// Everything is counted for a whole slice or a whole claim, never for a single notification.
struct DeliveryMetrics: Sendable {
    private let factory: any MetricsFactory
    private let attempts: [Lane: Counter]
    private let claimDelays: [Lane: Metrics.Timer]
    private let settleDelays: [Lane: Metrics.Timer]
    private let delivered: Counter
    private let pruned: Counter
    private let suspected: Counter
    private let inFlight: Meter
    private let heldBack: Counter
    private let claiming: Metrics.Timer
    private let settling: Metrics.Timer

    init(_ factory: any MetricsFactory) {
        func perLane<Metric>(_ make: ([(String, String)]) -> Metric) -> [Lane: Metric] {
            Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, make([("lane", $0.rawValue)])) })
        }
        self.factory = factory
        self.attempts = perLane { Counter(label: "apus_delivery_attempts_total", dimensions: $0, factory: factory) }
        self.claimDelays = perLane {
            Metrics.Timer(label: "apus_delivery_claim_delay_seconds", dimensions: $0, factory: factory)
        }
        self.settleDelays = perLane {
            Metrics.Timer(label: "apus_delivery_settle_delay_seconds", dimensions: $0, factory: factory)
        }
        self.delivered = Self.outcomes("delivered", "", factory)
        self.pruned = Counter(label: "apus_delivery_devices_pruned_total", factory: factory)
        self.suspected = Counter(label: "apus_delivery_devices_suspected_total", factory: factory)
        self.inFlight = Meter(label: "apus_delivery_in_flight", factory: factory)
        self.heldBack = Counter(label: "apus_delivery_held_back_total", factory: factory)
        self.claiming = Metrics.Timer(label: "apus_store_claim_seconds", factory: factory)
        self.settling = Metrics.Timer(label: "apus_store_settle_seconds", factory: factory)
    }

    // MARK: Batches

    /// Counts what a claim brought and ended, and how long the batches that nobody had before waited for it.
    func claimed(_ claim: BatchClaim, in lane: Lane, took duration: Duration, at now: Date) {
        self.claiming.record(duration: duration)
        self.count(claim.ended)
        for claimed in claim.batches where claimed.cursor == 0 && claimed.due.isEmpty {
            self.handedOver(claimed, in: lane, at: now)
        }
    }

    /// Records how long ago a batch was accepted that nobody had before.
    func handedOver(_ claimed: ClaimedBatch, in lane: Lane, at now: Date) {
        self.claimDelays[lane]?.recordSeconds(max(0, now.timeIntervalSince(claimed.batch.createdAt)))
    }

    /// Counts how a batch ended for now.
    func count(_ end: BatchEnd) {
        Counter(label: "apus_delivery_batches_total", dimensions: [("end", end.name)], factory: self.factory)
            .increment()
    }

    // MARK: Slices

    /// Counts targets that are handed to the client.
    func attempted(_ count: Int, in lane: Lane) {
        self.attempts[lane]?.increment(by: count)
    }

    /// How many targets are handed to the client, or sent, and not settled.
    func isInFlight(_ count: Int) {
        self.inFlight.set(count)
    }

    /// Counts targets of bulk work that wait for their turn, since there is urgent work.
    func heldBack(_ count: Int) {
        self.heldBack.increment(by: count)
    }

    /// Records how long the store took to settle a slice, and how long ago its batch was claimed.
    func settled(in duration: Duration, age: Duration, lane: Lane) {
        self.settling.record(duration: duration)
        self.settleDelays[lane]?.record(duration: age)
    }

    /// Counts what became of a slice, the rejections by reason and the failures by code.
    func count(_ counts: OutcomeCounts, pruned: Int = 0, suspected: Int = 0) {
        self.delivered.increment(by: counts.delivered)
        for (reason, count) in counts.rejected {
            Self.outcomes("rejected", reason.rawValue, self.factory).increment(by: count)
        }
        for (code, count) in counts.failed where count > 0 {
            Self.outcomes("failed", code.rawValue, self.factory).increment(by: count)
        }
        self.pruned.increment(by: pruned)
        self.suspected.increment(by: suspected)
    }

    /// Counts targets that are put off after an attempt, by ``SendVerdict/deferralReason``.
    func putOff(_ counts: [String: Int]) {
        for (reason, count) in counts {
            let dimensions = [("reason", reason)]
            Counter(label: "apus_delivery_deferrals_total", dimensions: dimensions, factory: self.factory)
                .increment(by: count)
        }
    }

    // MARK: Breakers

    /// A line is paused.
    func opened(_ line: Line, _ cause: Breaker.Cause) {
        let dimensions = [("cause", cause.name)]
        Counter(label: "apus_delivery_pauses_total", dimensions: dimensions, factory: self.factory).increment()
        self.paused(line).set(1)
    }

    /// A line that was paused serves again, or is not used any more.
    func closed(_ line: Line) {
        self.paused(line).set(0)
    }

    private func paused(_ line: Line) -> Meter {
        let dimensions = [
            ("app", line.app.rawValue), ("environment", line.environment.rawValue),
            ("credential", line.credential.rawValue),
        ]
        return Meter(label: "apus_delivery_paused", dimensions: dimensions, factory: self.factory)
    }

    private static func outcomes(_ outcome: String, _ reason: String, _ factory: any MetricsFactory) -> Counter {
        let dimensions = [("outcome", outcome), ("reason", reason)]
        return Counter(label: "apus_delivery_outcomes_total", dimensions: dimensions, factory: factory)
    }
}

extension BatchEnd {
    /// The end in one word.
    package var name: String {
        switch self {
        case .settled: "settled"
        case .deferred: "deferred"
        case .stopped: "stopped"
        case .halted: "halted"
        case .paused: "paused"
        case .leaseLost: "lease_lost"
        case .setBack: "set_back"
        case .failed: "failed"
        case .abandoned: "abandoned"
        }
    }
}
