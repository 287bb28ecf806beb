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

/// Plans campaigns: finds those that are due, reads their audience and turns it into batches.
///
/// Any number of these may share a store: each campaign is planned by whoever holds its lease, and one whose planner was
/// killed is taken over, exactly where its plan stands. It never talks to APNs. A failure with one campaign concerns no
/// other. On graceful shutdown campaigns are given back at once.
public struct CampaignPlanner: Service {
    private let context: SchedulingContext
    private let executor: (any TaskExecutor)?

    /// A service that plans as soon as it is run.
    ///
    /// - Parameters:
    ///   - store: the campaigns and their devices.
    ///   - configuration: how much at once, and how far ahead.
    ///   - clock: what waiting is done by.
    ///   - now: the time of day, for leases and starts.
    ///   - executor: where campaigns are planned, so that nobody waits for a thread behind that; `nil` is where everything
    ///     runs.
    ///   - metrics: is told how much was planned.
    ///   - logger: told of campaigns that cannot be planned, and of failures of the store.
    public init(
        store: any SchedulingStore,
        configuration: SchedulingConfiguration = SchedulingConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        executor: (any TaskExecutor)? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.executor = executor
        self.context = SchedulingContext(
            store: store,
            configuration: configuration,
            clock: clock,
            now: now,
            logger: logger,
            metrics: SchedulingMetrics(metrics)
        )
    }

    /// Plans until the service is shut down or the task is cancelled.
    public func run() async throws {
        let context = self.context
        // Subscribed before the first claim, so that nothing is missed between the two.
        let changes = context.store.changes(\.concernsCampaigns)
        let loop = LeasedLoop(context: context, executor: self.executor) { limit in
            try await context.store.claimCampaigns(
                planner: context.configuration.planner,
                limit: limit,
                leaseDuration: context.configuration.leaseDuration,
                now: context.now()
            ).map { CampaignRun(claimed: $0, context: context) }
        }
        await loop.run(hearing: changes) { change in
            switch change {
            case .campaignChanged(let campaign):
                context.wakes.wake(campaign)
                return true
            case .batchSettled(let notification):
                context.wakes.wake(CampaignID(notification.value))
                return false
            case .missed:
                context.wakes.wakeAll()
                return true
            default:
                return false
            }
        } onStop: {
            context.wakes.wakeAll()
        }
    }
}

extension StoreChange {
    /// Whether a campaign may have to be planned, or planned further, after it.
    fileprivate var concernsCampaigns: Bool {
        switch self {
        case .campaignChanged, .batchSettled, .missed: true
        case .batchReady, .batchAdvanced, .notificationSettled, .halted, .activitiesDue, .jobsDue, .eventsAppended,
            .webhooksChanged, .topicDeliveriesReady:
            false
        }
    }
}
