// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Metrics
import PushModel
import PushStore

/// Records metrics of the fan-out of campaigns, whose names begin with `apus_campaign_`.
struct CampaignMetrics: Sendable {
    private let targetsEnqueued: Counter
    private let batchesEnqueued: Counter
    private let retries: Counter
    private let failures: Counter
    private let leasesLost: Counter
    private let pageDuration: Timer

    init(_ factory: any MetricsFactory) {
        self.targetsEnqueued = factory.counter("campaign_targets_enqueued")
        self.batchesEnqueued = factory.counter("campaign_batches_enqueued")
        self.retries = factory.counter("campaign_retries")
        self.failures = factory.counter("campaign_failures")
        self.leasesLost = factory.counter("campaign_leases_lost")
        self.pageDuration = Timer(label: "apus_campaign_page_duration_seconds", factory: factory)
    }

    func enqueued(targets: Int, batches: Int, in duration: Duration) {
        self.targetsEnqueued.increment(by: targets)
        self.batchesEnqueued.increment(by: batches)
        self.pageDuration.record(duration: duration)
    }

    func count(_ failure: PlanningFailure) {
        switch failure {
        case .lost: self.leasesLost.increment()
        case .retried: self.retries.increment()
        case .failed: self.failures.increment()
        }
    }
}

/// Records metrics of rollouts, whose names begin with `apus_scheduling_rollout` or `apus_rollout_`.
struct RolloutMetrics: Sendable {
    private let started: Counter
    private let skipped: Counter
    private let completed: Counter
    private let stopped: Counter
    private let retries: Counter
    private let quarantinedRollouts: Counter

    init(_ factory: any MetricsFactory) {
        self.started = factory.counter("scheduling_rollout_devices", ("result", "started"))
        self.skipped = factory.counter("scheduling_rollout_devices", ("result", "skipped"))
        self.completed = factory.counter("scheduling_rollouts", ("state", "completed"))
        self.stopped = factory.counter("scheduling_rollouts", ("state", "stopped"))
        self.retries = factory.counter("rollout_retries")
        self.quarantinedRollouts = factory.counter("scheduling_quarantined", ("type", "rollout"))
    }

    func advanced(from former: ActivityRollout, to rollout: ActivityRollout) {
        let (before, after) = (former.progress.counts, rollout.progress.counts)
        // Wraps around, because the stored counts may be corrupt.
        let started = after.startsSent &- before.startsSent
        self.started.increment(by: started)
        self.skipped.increment(by: after.total &- before.total &- started)
        switch rollout.state {
        case .running: break
        case .completed: self.completed.increment()
        case .stopped: self.stopped.increment()
        }
    }

    /// Counts a rollout that is quarantined because its activity cannot be read.
    func quarantined() { self.quarantinedRollouts.increment() }

    func count(_ failure: PlanningFailure) {
        switch failure {
        case .lost: break
        case .retried: self.retries.increment()
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
        Timer(label: "apus_jobs_delay_seconds", dimensions: [("type", kind.rawValue)], factory: self.factory)
            .recordSeconds(delay)
    }

    func ended(_ run: JobRun, of kind: JobAction.Kind) {
        let type = ("type", kind.rawValue)
        let result = ("result", run.state.isFinal ? run.state.rawValue : "retried")
        Counter(label: "apus_jobs_runs_total", dimensions: [type, result], factory: self.factory).increment()
        guard run.processedCount > 0 else { return }
        Counter(label: "apus_jobs_processed_total", dimensions: [type], factory: self.factory)
            .increment(by: run.processedCount)
    }
}

/// Records metrics of scheduled work on Live Activities, whose names begin with `apus_scheduling_`.
struct ActivityMetrics: Sendable {
    /// Whether transitions were prepared before they were due, or read when they were due.
    enum ExecutionPath: String, CaseIterable { case prepared, direct }

    private let completed: Counter
    private let skipped: Counter
    private let expired: Counter
    private let lateness: Timer
    private let prepared: Counter
    private let executedByPath: [ExecutionPath: Counter]
    private let quarantinedActivities: Counter
    private let quarantinedTransitions: Counter

    init(_ factory: any MetricsFactory) {
        self.completed = factory.counter("scheduling_transitions", ("state", "completed"))
        self.skipped = factory.counter("scheduling_transitions", ("state", "skipped"))
        self.expired = factory.counter("scheduling_activities_expired")
        self.lateness = Timer(label: "apus_scheduling_transition_lateness_seconds", factory: factory)
        self.prepared = factory.counter("scheduling_transitions_prepared")
        let executed = ExecutionPath.allCases.map { path in
            (path, factory.counter("scheduling_transitions_executed", ("path", path.rawValue)))
        }
        self.executedByPath = Dictionary(uniqueKeysWithValues: executed)
        self.quarantinedActivities = factory.counter("scheduling_quarantined", ("type", "activity"))
        self.quarantinedTransitions = factory.counter("scheduling_quarantined", ("type", "transition"))
    }

    func count(prepared count: Int) { self.prepared.increment(by: count) }

    /// Counts executed transitions and expired activities, and records the lateness of the transitions.
    func executed(_ report: TransitionReport, _ path: ExecutionPath, at now: Date) {
        self.quarantinedActivities.increment(by: report.setAside)
        for entry in report.entries {
            guard entry.transition.state == .completed else {
                self.skipped.increment()
                if !entry.transition.isReadable { self.quarantinedTransitions.increment() }
                continue
            }
            self.completed.increment()
            self.executedByPath[path]?.increment()
            guard let dueAt = entry.transition.dueAt else { continue }
            // A transition that was scheduled for a past time is late only from its creation on.
            let lateness = now.timeIntervalSince(max(dueAt, entry.transition.scheduledAt))
            self.lateness.recordSeconds(max(0, lateness))
        }
        self.expired.increment(by: report.expired)
    }
}

extension MetricsFactory {
    fileprivate func counter(_ name: String, _ dimensions: (String, String)...) -> Counter {
        Counter(label: "apus_\(name)_total", dimensions: dimensions, factory: self)
    }
}
