// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Fans out campaigns: finds those that are due, reads their audience and writes it as batches.
///
/// Any number of these can share a store: the lease holder processes a campaign, and after a crash another worker
/// continues exactly where it stopped. It never connects to APNs. A failure of one campaign does not affect others. On
/// graceful shutdown, campaigns are released at once.
package struct CampaignScheduler: Service, PlanningContext {
    let store: any SchedulingStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: CampaignMetrics

    /// Wakes the campaigns that are processed.
    let wakes: ChangeHub<CampaignID>

    /// Limits how many audiences are counted at the same time.
    let counts: SlotPool
    private let executor: (any TaskExecutor)?

    /// The `executor` runs the fan-out, so that other work does not wait for a thread behind it.
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
        self.metrics = CampaignMetrics(metrics)
        self.counts = SlotPool(count: configuration.campaigns)
        self.wakes = ChangeHub<CampaignID>(store) { change in
            switch change {
            case .campaignChanged(let campaign): campaign
            case .batchSettled(let notification): CampaignID(notification.value)
            default: nil
            }
        }
    }

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
        // Subscribe before the first claim, so that no change is missed.
        let changes = self.store.changes { if case .campaignChanged = $0 { true } else { false } }
        await withDiscardingTaskGroup { group in
            group.addTask { try? await self.wakes.run() }
            await loop.run(on: changes, onStop: { self.wakes.publishMissed() })
        }
    }
}

/// The store of scheduling: campaigns, audiences, devices, notifications with their outcomes, and signals of changes.
package typealias SchedulingStore = AudienceStore & CampaignStore & DeviceStore & NotificationStore & StoreChangeSource
