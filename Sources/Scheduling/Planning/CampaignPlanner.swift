// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Plans campaigns: finds those that are due, reads their audience and turns it into batches.
///
/// Any number of these may share a store: each campaign is planned by whoever holds its lease, and one whose planner was
/// killed is taken over, exactly where its plan stands. It never talks to APNs. A failure with one campaign concerns no
/// other. On graceful shutdown campaigns are given back at once.
package struct CampaignPlanner: Service, PlanningContext {
    let store: any SchedulingStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: SchedulingMetrics

    /// Wakes the campaigns that are processed.
    let wakes: ChangeHub<CampaignID>

    /// Limits how many audiences are counted at the same time.
    let counts: SlotPool
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
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.executor = executor
        self.logger = logger
        self.metrics = SchedulingMetrics(metrics)
        self.counts = SlotPool(count: configuration.campaigns)
        self.wakes = ChangeHub<CampaignID>(store) { change in
            switch change {
            case .campaignChanged(let campaign): campaign
            case .batchSettled(let notification): CampaignID(notification.value)
            default: nil
            }
        }
    }

    /// Plans until the service is shut down or the task is cancelled.
    package func run() async throws {
        let loop = ClaimLoop(
            kind: "campaigns",
            capacity: Slots<CampaignProcessor>(self.configuration.campaigns),
            pollInterval: self.configuration.pollInterval,
            clock: self.clock,
            now: self.now,
            executor: self.executor,
            logger: self.logger
        ) { limit in
            let claimed = try await self.store.claimCampaigns(
                planner: self.configuration.planner,
                limit: limit,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            return Claimed(claimed.map { CampaignProcessor(claimed: $0, context: self) })
        } process: { campaign, slot in
            slot.end(isNews: await campaign.run(in: slot))
        }
        // Subscribed before the first claim, so that nothing is missed between the two.
        let changes = self.store.changes { if case .campaignChanged = $0 { true } else { false } }
        await withDiscardingTaskGroup { group in
            group.addTask { try? await self.wakes.run() }
            await loop.run(on: changes, onStop: { self.wakes.publishMissed() })
        }
    }
}

/// What scheduling needs of a store: the campaigns, their devices and what became of them, and word of changes.
package typealias SchedulingStore = AudienceStore & BatchStore & CampaignStore & DeviceStore & StoreSignals
