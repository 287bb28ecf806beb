// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import PushModel

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
        let invited = after.invited - before.invited
        self.invited.increment(by: invited)
        self.passedOver.increment(by: after.total - before.total - invited)
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
