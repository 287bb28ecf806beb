// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle

/// Starts Live Activities on the devices of audiences: reads these, and writes the batches of pushes that start it.
///
/// Any number of these may share a store: each rollout is gone on with by whoever holds its lease, and one whose planner was
/// killed is taken over, exactly where it stands. It never talks to APNs. A failure with one rollout concerns no other. On
/// graceful shutdown rollouts are given back at once.
package struct RolloutPlanner: Service {
    private let context: RolloutContext
    private let executor: (any TaskExecutor)?

    /// A service that goes on with rollouts as soon as it is run.
    ///
    /// The `executor` runs the rollouts, so that other work does not wait for a thread behind them. `nil` is the
    /// default executor.
    package init(
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
    package func run() async throws {
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
package typealias RolloutPlanningStore = ActivityStore & AudienceStore & BatchStore & RolloutStore & StoreSignals

/// What every rollout is gone on with by.
struct RolloutContext: LeaseContext {
    let store: any RolloutPlanningStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: RolloutMetrics
}
