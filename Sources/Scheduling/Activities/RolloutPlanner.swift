// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import Metrics
import PushModel
import PushStore
public import ServiceLifecycle

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    /// - Parameters:
    ///   - store: the rollouts, the activities and the devices.
    ///   - configuration: how much at once, and how far ahead.
    ///   - clock: what waiting is done by.
    ///   - now: the time of day, for leases and turns.
    ///   - executor: where rollouts are gone on with, so that nobody waits for a thread behind that; `nil` is where everything
    ///     runs.
    ///   - metrics: is told what became of how many devices.
    ///   - logger: told of rollouts that cannot be gone on with, and of failures of the store.
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
