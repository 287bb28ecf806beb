// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Starts Live Activities on audiences: reads the devices page by page, and writes the batches of start pushes.
///
/// Any number of these can share a store: the lease holder processes a rollout, and after a crash another worker
/// continues exactly where it stopped. It never connects to APNs. A failure of one rollout does not affect others. On
/// graceful shutdown, rollouts are released at once.
package struct RolloutScheduler: Service, PlanningContext {
    let store: any RolloutSchedulingStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: RolloutMetrics
    private let executor: (any TaskExecutor)?

    /// The `executor` runs the rollouts, so that other work does not wait for a thread behind them.
    package init(
        store: any RolloutSchedulingStore,
        configuration: SchedulingConfiguration = SchedulingConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        executor: (any TaskExecutor)? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.executor = executor
        self.logger = logger
        self.metrics = RolloutMetrics(metrics)
    }

    package func run() async throws {
        let loop = ClaimLoop(
            kind: "rollouts",
            capacity: Slots<RolloutProcessor>(self.configuration.campaigns),
            pollInterval: self.configuration.pollInterval,
            clock: self.clock,
            now: self.now,
            executor: self.executor,
            logger: self.logger
        ) { limit in
            let claimed = try await self.store.claimRollouts(
                planner: self.configuration.planner,
                limit: limit,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            return Claimed(claimed.map { RolloutProcessor(claimed: $0, context: self) })
        } process: { rollout, slot in
            await rollout.run(in: slot)
            slot.end()
        }
        await loop.run(on: self.store.changes { $0 == .activitiesDue })
    }
}

/// The store of rollouts: their progress, audiences with tokens, notifications, and signals of changes.
package typealias RolloutSchedulingStore = ActivityStore & AudienceStore & NotificationStore & RolloutStore
    & StoreChangeSource
