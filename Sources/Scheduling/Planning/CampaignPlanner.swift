// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Plans campaigns: finds those that are due, reads their audience and turns it into batches.
///
/// Any number of these may share a store: each campaign is planned by whoever holds its lease, and one whose planner was
/// killed is taken over, exactly where its plan stands. It never talks to APNs. A failure with one campaign concerns no
/// other. On graceful shutdown campaigns are given back at once.
package struct CampaignPlanner: Service {
    private let context: SchedulingContext
    private let executor: (any TaskExecutor)?

    /// A service that plans as soon as it is run.
    ///
    /// The `executor` plans the campaigns, so that other work does not wait for a thread behind them. `nil` is the
    /// default executor.
    package init(
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
    package func run() async throws {
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

/// Wakes the campaigns that are being planned.
final class PlanningWakes: Sendable {
    private let campaigns = Mutex<[CampaignID: AsyncStream<Void>.Continuation]>([:])

    func isPlanning(_ campaign: CampaignID) -> Bool { self.campaigns.withLock { $0[campaign] != nil } }

    /// A campaign begins to be planned.
    ///
    /// - Returns: when to look for more to plan, once at the beginning, and what adds to that; `nil` when the campaign
    ///   is being planned already.
    func begin(_ campaign: CampaignID) -> (stream: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation)? {
        let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wake.yield()
        return self.campaigns.withLock { campaigns in
            guard campaigns[campaign] == nil else { return nil }
            campaigns[campaign] = wake
            return (stream, wake)
        }
    }

    /// A campaign is not planned any more.
    func end(_ campaign: CampaignID) {
        let wake = self.campaigns.withLock { $0.removeValue(forKey: campaign) }
        wake?.finish()
    }

    /// Something of a campaign has changed.
    func wake(_ campaign: CampaignID) {
        let wake = self.campaigns.withLock { $0[campaign] }
        wake?.yield()
    }

    /// Something may have changed of any campaign.
    func wakeAll() {
        for wake in self.campaigns.withLock({ Array($0.values) }) { wake.yield() }
    }
}
