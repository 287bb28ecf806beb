// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Metrics
import PushModel
import PushStore

/// Records metrics of the fan-out of campaigns, whose names begin with `apus_scheduling_`.
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

    /// Counts an audience page, and records its duration.
    func planned(targets: Int, batches: Int, in duration: Duration) {
        self.planned.increment(by: targets)
        self.batches.increment(by: batches)
        self.planning.record(duration: duration)
    }

    func count(_ failure: PlanningFailure) {
        switch failure {
        case .lost: self.leasesLost.increment()
        case .setBack: self.setBack.increment()
        case .failed: self.failed.increment()
        }
    }
}

/// Records metrics of rollouts, whose names begin with `apus_scheduling_rollout`.
struct RolloutMetrics: Sendable {
    private let invited: Counter
    private let passedOver: Counter
    private let done: Counter
    private let stopped: Counter
    private let setBack: Counter
    private let aside: Counter

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String, _ dimensions: (String, String)...) -> Counter {
            Counter(label: "apus_scheduling_\(name)_total", dimensions: dimensions, factory: factory)
        }
        self.invited = counter("rollout_devices", ("result", "invited"))
        self.passedOver = counter("rollout_devices", ("result", "passed_over"))
        self.done = counter("rollouts", ("state", ActivityRollout.State.done.rawValue))
        self.stopped = counter("rollouts", ("state", ActivityRollout.State.stopped.rawValue))
        self.setBack = counter("rollouts_set_back")
        self.aside = counter("set_aside", ("kind", "rollout"))
    }

    /// Counts the result of a page.
    func wentOn(from former: ActivityRollout, to rollout: ActivityRollout) {
        let (before, after) = (former.progress.counts, rollout.progress.counts)
        // Wraps around, because the stored counts may be corrupt.
        let invited = after.invited &- before.invited
        self.invited.increment(by: invited)
        self.passedOver.increment(by: after.total &- before.total &- invited)
        switch rollout.state {
        case .running: break
        case .done: self.done.increment()
        case .stopped: self.stopped.increment()
        }
    }

    /// Counts a rollout that is quarantined because its activity cannot be read.
    func setAside() { self.aside.increment() }

    func count(_ failure: PlanningFailure) {
        switch failure {
        case .lost: break
        case .setBack: self.setBack.increment()
        case .failed: self.stopped.increment()
        }
    }
}

/// Records metrics of jobs, whose names begin with `apus_jobs_`.
struct JobMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Records the delay of a run that started.
    func began(_ run: JobRun, of kind: JobWork.Kind) {
        guard run.attempt == 1, let startedAt = run.startedAt else { return }
        let delay = max(0, startedAt.timeIntervalSince(run.dueAt))
        Timer(label: "apus_jobs_delay_seconds", dimensions: [("kind", kind.rawValue)], factory: self.factory)
            .recordSeconds(delay)
    }

    /// Counts an attempt that ended.
    func ended(_ run: JobRun, of kind: JobWork.Kind) {
        let kind = ("kind", kind.rawValue)
        let result = ("result", run.state.isFinal ? run.state.rawValue : "retried")
        Counter(label: "apus_jobs_runs_total", dimensions: [kind, result], factory: self.factory).increment()
        guard run.processed > 0 else { return }
        Counter(label: "apus_jobs_processed_total", dimensions: [kind], factory: self.factory)
            .increment(by: run.processed)
    }
}
