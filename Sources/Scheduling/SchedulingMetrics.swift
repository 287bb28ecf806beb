// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics

/// Reports to swift-metrics, under names that begin with `apus_scheduling_`.
struct SchedulingMetrics: Sendable {
    private let planned = Counter(label: "apus_scheduling_targets_planned_total")
    private let batches = Counter(label: "apus_scheduling_batches_planned_total")
    private let setBack = Counter(label: "apus_scheduling_campaigns_set_back_total")
    private let failed = Counter(label: "apus_scheduling_campaigns_failed_total")
    private let leasesLost = Counter(label: "apus_scheduling_leases_lost_total")
    private let planning = Timer(label: "apus_scheduling_shard_seconds")

    /// Counts a shard and how long it took.
    func planned(targets: Int, batches: Int, in duration: Duration) {
        self.planned.increment(by: targets)
        self.batches.increment(by: batches)
        let (seconds, attoseconds) = duration.components
        self.planning.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Counts a campaign that could not be planned.
    func setBack(isFinal: Bool) {
        if isFinal { self.failed.increment() } else { self.setBack.increment() }
    }

    /// Counts a lease that another planner took, or that was ended.
    func leaseLost() {
        self.leasesLost.increment()
    }
}
