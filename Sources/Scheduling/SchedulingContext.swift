// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
public import PushStore

/// What every part of scheduling works with.
struct SchedulingContext: LeaseContext {
    let store: any SchedulingStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: SchedulingMetrics
    let wakes = PlanningWakes()

    /// Whose audience is counted; others wait for that.
    let counts: RunPlaces

    init(
        store: any SchedulingStore,
        configuration: SchedulingConfiguration,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger,
        metrics: SchedulingMetrics
    ) {
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.logger = logger
        self.metrics = metrics
        self.counts = RunPlaces(count: configuration.campaigns)
    }
}

/// What scheduling needs of a store: the campaigns, their devices and what became of them, and word of changes.
public typealias SchedulingStore = AudienceStore & BatchStore & CampaignStore & DeviceStore & StoreSignals

/// Reports the planning of campaigns to swift-metrics, under names that begin with `apus_scheduling_`.
struct SchedulingMetrics: Sendable {
    private let planned: Counter
    private let batches: Counter
    private let setBack: Counter
    private let failed: Counter
    private let leasesLost: Counter
    private let planning: Timer

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String) -> Counter { Counter(label: "apus_scheduling_\(name)_total", factory: factory) }
        self.planned = counter("targets_planned")
        self.batches = counter("batches_planned")
        self.setBack = counter("campaigns_set_back")
        self.failed = counter("campaigns_failed")
        self.leasesLost = counter("leases_lost")
        self.planning = Timer(label: "apus_scheduling_shard_seconds", factory: factory)
    }

    /// Counts a shard and how long it took.
    func planned(targets: Int, batches: Int, in duration: Duration) {
        self.planned.increment(by: targets)
        self.batches.increment(by: batches)
        let (seconds, attoseconds) = duration.components
        self.planning.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Counts what has gone wrong with a campaign.
    func count(_ mishap: LeaseMishap) {
        switch mishap {
        case .lost: self.leasesLost.increment()
        case .setBack: self.setBack.increment()
        case .failed: self.failed.increment()
        }
    }
}
