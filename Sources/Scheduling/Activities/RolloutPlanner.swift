// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import Logging
public import Metrics
import PushModel
public import PushStore
public import ServiceLifecycle

/// Starts Live Activities on the devices of audiences: reads these, and writes the batches of pushes that start it.
///
/// Any number of these may share a store: each rollout is gone on with by whoever holds its lease, and one whose planner was
/// killed is taken over, exactly where it stands. It never talks to APNs. A failure with one rollout concerns no other. On
/// graceful shutdown rollouts are given back at once.
public struct RolloutPlanner: Service {
    private let context: RolloutContext
    private let executor: (any TaskExecutor)?

    /// A service that goes on with rollouts as soon as it is run.
    ///
    /// The `executor` runs the rollouts, so that other work does not wait for a thread behind them. `nil` is the
    /// default executor.
    public init(
        store: any RolloutPlanningStore,
        configuration: SchedulingConfiguration = SchedulingConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        executor: (any TaskExecutor)? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.executor = executor
        self.context = RolloutContext(
            store: store,
            configuration: configuration,
            clock: clock,
            now: now,
            logger: logger,
            metrics: RolloutMetrics(metrics)
        )
    }

    /// Goes on with rollouts until the service is shut down or the task is cancelled.
    public func run() async throws {
        let context = self.context
        // Subscribed before the first claim, so that nothing is missed between the two.
        let changes = context.store.changes { $0 == .activitiesDue }
        let loop = LeasedLoop(context: context, executor: self.executor) { limit in
            try await context.store.claimRollouts(
                planner: context.configuration.planner,
                limit: limit,
                leaseDuration: context.configuration.leaseDuration,
                now: context.now()
            ).map { RolloutRun(claimed: $0, context: context) }
        }
        await loop.run(hearing: changes) { _ in true }
    }
}

/// What rollouts need of a store: how far they have come, the devices of audiences with their tokens, what is on its way to
/// these, and word of changes.
public typealias RolloutPlanningStore = ActivityStore & AudienceStore & BatchStore & RolloutStore & StoreSignals

/// What every rollout is gone on with by.
struct RolloutContext: LeaseContext {
    let store: any RolloutPlanningStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: RolloutMetrics
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
