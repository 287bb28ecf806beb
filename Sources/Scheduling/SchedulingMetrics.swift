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
        self.planned = factory.counter("targets_planned")
        self.batches = factory.counter("batches_planned")
        self.setBack = factory.counter("campaigns_set_back")
        self.failed = factory.counter("campaigns_failed")
        self.leasesLost = factory.counter("leases_lost")
        self.planning = Timer(label: "apus_scheduling_shard_seconds", factory: factory)
    }

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
        self.invited = factory.counter("rollout_devices", ("result", "invited"))
        self.passedOver = factory.counter("rollout_devices", ("result", "passed_over"))
        self.done = factory.counter("rollouts", ("state", ActivityRollout.State.done.rawValue))
        self.stopped = factory.counter("rollouts", ("state", ActivityRollout.State.stopped.rawValue))
        self.setBack = factory.counter("rollouts_set_back")
        self.aside = factory.counter("set_aside", ("kind", "rollout"))
    }

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
    func began(_ run: JobRun, of kind: JobAction.Kind) {
        guard run.attempt == 1, let startedAt = run.startedAt else { return }
        let delay = max(0, startedAt.timeIntervalSince(run.dueAt))
        Timer(label: "apus_jobs_delay_seconds", dimensions: [("kind", kind.rawValue)], factory: self.factory)
            .recordSeconds(delay)
    }

    func ended(_ run: JobRun, of kind: JobAction.Kind) {
        let kind = ("kind", kind.rawValue)
        let result = ("result", run.state.isFinal ? run.state.rawValue : "retried")
        Counter(label: "apus_jobs_runs_total", dimensions: [kind, result], factory: self.factory).increment()
        guard run.processed > 0 else { return }
        Counter(label: "apus_jobs_processed_total", dimensions: [kind], factory: self.factory)
            .increment(by: run.processed)
    }
}

/// Records metrics of scheduled work on Live Activities, whose names begin with `apus_scheduling_`.
struct ActivityMetrics: Sendable {
    /// Whether transitions were prepared before they were due, or read when they were due.
    enum Way: String, CaseIterable { case prepared, found }

    private let done: Counter
    private let skipped: Counter
    private let expired: Counter
    private let lateness: Timer
    private let prepared: Counter
    private let ways: [Way: Counter]
    private let activitiesAside: Counter
    private let transitionsAside: Counter

    init(_ factory: any MetricsFactory) {
        self.done = factory.counter("transitions", ("state", "done"))
        self.skipped = factory.counter("transitions", ("state", "skipped"))
        self.expired = factory.counter("activities_expired")
        self.lateness = Timer(label: "apus_scheduling_transition_lateness_seconds", factory: factory)
        self.prepared = factory.counter("transitions_prepared")
        let ways = Way.allCases.map { ($0, factory.counter("transitions_carried_out", ("way", $0.rawValue))) }
        self.ways = Dictionary(uniqueKeysWithValues: ways)
        self.activitiesAside = factory.counter("set_aside", ("kind", "activity"))
        self.transitionsAside = factory.counter("set_aside", ("kind", "transition"))
    }

    func count(prepared count: Int) { self.prepared.increment(by: count) }

    /// Counts executed transitions and expired activities, and records the lateness of the transitions.
    func carriedOut(_ report: TransitionReport, _ way: Way, at now: Date) {
        self.activitiesAside.increment(by: report.setAside)
        for entry in report.entries {
            guard entry.transition.state == .done else {
                self.skipped.increment()
                if !entry.transition.isReadable { self.transitionsAside.increment() }
                continue
            }
            self.done.increment()
            self.ways[way]?.increment()
            guard let dueAt = entry.transition.dueAt else { continue }
            // A transition that was scheduled for a past time is late only from its creation on.
            let lateness = now.timeIntervalSince(max(dueAt, entry.transition.plannedAt))
            self.lateness.recordSeconds(max(0, lateness))
        }
        self.expired.increment(by: report.expired)
    }
}

extension MetricsFactory {
    fileprivate func counter(_ name: String, _ dimensions: (String, String)...) -> Counter {
        Counter(label: "apus_scheduling_\(name)_total", dimensions: dimensions, factory: self)
    }
}
