// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Metrics
import PushModel

/// Reports to swift-metrics, under names that begin with `apus_delivery_`.
struct DeliveryMetrics: Sendable {
    private let delivered = Counter(label: "apus_delivery_delivered_total")
    private let settled = Counter(label: "apus_delivery_batches_settled_total")
    private let deferred = Counter(label: "apus_delivery_batches_deferred_total")
    private let blocked = Counter(label: "apus_delivery_batches_blocked_total")
    private let setBack = Counter(label: "apus_delivery_batches_set_back_total")
    private let failed = Counter(label: "apus_delivery_batches_failed_total")
    private let released = Counter(label: "apus_delivery_batches_released_total")
    private let halted = Counter(label: "apus_delivery_batches_halted_total")
    private let leasesLost = Counter(label: "apus_delivery_leases_lost_total")
    private let pruned = Counter(label: "apus_delivery_devices_pruned_total")
    private let suspected = Counter(label: "apus_delivery_devices_suspected_total")
    private let settling = Timer(label: "apus_delivery_settle_seconds")

    /// Counts what became of a slice, the rejections by reason and the failures by code.
    func count(_ counts: OutcomeCounts, pruned: Int = 0, suspected: Int = 0) {
        self.delivered.increment(by: counts.delivered)
        for (reason, count) in counts.rejected {
            Counter(label: "apus_delivery_rejected_total", dimensions: [("reason", reason.rawValue)])
                .increment(by: count)
        }
        for (code, count) in counts.failed {
            Counter(label: "apus_delivery_failed_total", dimensions: [("code", code.rawValue)]).increment(by: count)
        }
        self.pruned.increment(by: pruned)
        self.suspected.increment(by: suspected)
    }

    /// Records how long the store took to settle a slice.
    func settled(in duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.settling.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Counts how a batch ended.
    func count(_ end: BatchEnd) {
        switch end {
        case .settled: self.settled.increment()
        case .stopped: self.released.increment()
        case .deferred: self.deferred.increment()
        case .outage: self.blocked.increment()
        case .halted: self.halted.increment()
        case .setBack: self.setBack.increment()
        case .failed: self.failed.increment()
        case .leaseLost: self.leasesLost.increment()
        case .abandoned: break
        }
    }
}
