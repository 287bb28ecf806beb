// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
package import PushStore
import ServiceLifecycle

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
package typealias SchedulingStore = AudienceStore & BatchStore & CampaignStore & DeviceStore & StoreSignals

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
        self.planning.record(duration: duration)
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

/// Reports rollouts of Live Activities to swift-metrics, under names that begin with `apus_scheduling_rollout`.
struct RolloutMetrics: Sendable {
    private let invited: Counter
    private let passedOver: Counter
    private let done: Counter
    private let stopped: Counter
    private let setBack: Counter
    private let aside: Counter

    init(_ factory: any MetricsFactory) {
        func devices(_ result: String) -> Counter {
            Counter(
                label: "apus_scheduling_rollout_devices_total",
                dimensions: [("result", result)],
                factory: factory
            )
        }
        func rollouts(_ state: ActivityRollout.State) -> Counter {
            Counter(
                label: "apus_scheduling_rollouts_total",
                dimensions: [("state", state.rawValue)],
                factory: factory
            )
        }
        self.invited = devices("invited")
        self.passedOver = devices("passed_over")
        self.done = rollouts(.done)
        self.stopped = rollouts(.stopped)
        self.setBack = Counter(label: "apus_scheduling_rollouts_set_back_total", factory: factory)
        self.aside = Counter(
            label: "apus_scheduling_set_aside_total",
            dimensions: [("kind", "rollout")],
            factory: factory
        )
    }

    /// Counts what a shard came to.
    func wentOn(from former: ActivityRollout, to rollout: ActivityRollout) {
        let (before, after) = (former.progress.counts, rollout.progress.counts)
        // The stored counts may be damaged: a wrong number is better than a trap.
        let invited = after.invited &- before.invited
        self.invited.increment(by: invited)
        self.passedOver.increment(by: after.total &- before.total &- invited)
        switch rollout.state {
        case .running: break
        case .done: self.done.increment()
        case .stopped: self.stopped.increment()
        }
    }

    /// Counts a rollout whose activity cannot be read, and that waits for that.
    func setAside() { self.aside.increment() }

    /// Counts what has gone wrong with a rollout.
    func count(_ mishap: LeaseMishap) {
        switch mishap {
        case .lost: break
        case .setBack: self.setBack.increment()
        case .failed: self.stopped.increment()
        }
    }
}

/// Reports to swift-metrics, under names that begin with `apus_jobs_`.
struct JobMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    /// A run has begun, so long after its time.
    func began(_ run: JobRun, of kind: JobWork.Kind) {
        guard run.attempt == 1, let startedAt = run.startedAt else { return }
        let delay = max(0, startedAt.timeIntervalSince(run.dueAt))
        Timer(label: "apus_jobs_delay_seconds", dimensions: [("kind", kind.rawValue)], factory: self.factory)
            .recordSeconds(delay)
    }

    /// An attempt at a run has come to its end.
    func ended(_ run: JobRun, of kind: JobWork.Kind) {
        let kind = ("kind", kind.rawValue)
        let result = ("result", run.state.isFinal ? run.state.rawValue : "retried")
        Counter(label: "apus_jobs_runs_total", dimensions: [kind, result], factory: self.factory).increment()
        guard run.processed > 0 else { return }
        Counter(label: "apus_jobs_processed_total", dimensions: [kind], factory: self.factory)
            .increment(by: run.processed)
    }
}
