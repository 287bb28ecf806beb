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
        let (wakeups, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Subscribed before the first claim, so that nothing is missed between the two.
        let changes = self.context.store.changes()
        wake.yield()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.poll(wake) }
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await change in changes { self.hear(change, wake) }
                }
            }
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in wakeups {
                    for claimed in await self.claim() {
                        group.addTask(executorPreference: self.executor) {
                            // Others may have waited for its place.
                            if await CampaignRun(claimed: claimed, context: self.context).run() { wake.yield() }
                        }
                    }
                }
            } onCancelOrGracefulShutdown: {
                wake.finish()
                self.context.wakes.wakeAll()
            }
        }
    }

    private func hear(_ change: StoreChange, _ wake: AsyncStream<Void>.Continuation) {
        switch change {
        case .campaignChanged(let campaign):
            self.context.wakes.wake(campaign)
            wake.yield()
        case .batchSettled(let notification): self.context.wakes.wake(CampaignID(notification.value))
        case .missed:
            self.context.wakes.wakeAll()
            wake.yield()
        case .batchReady, .batchAdvanced, .notificationSettled, .halted, .activitiesDue, .jobsDue, .eventsAppended,
            .webhooksChanged, .topicDeliveriesReady:
            break
        }
    }

    private func poll(_ wake: AsyncStream<Void>.Continuation) async {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await self.context.clock.sleep(for: self.context.configuration.pollInterval)
                wake.yield()
            }
        }
    }

    private func claim() async -> [ClaimedCampaign] {
        let room = self.context.configuration.campaigns - self.context.wakes.count
        guard room > 0 else { return [] }
        do {
            return try await self.context.store.claimCampaigns(
                planner: self.context.configuration.planner,
                limit: room,
                leaseDuration: self.context.configuration.leaseDuration,
                now: self.context.now()
            )
        } catch {
            // The next signal or poll tries again.
            self.context.logger.error("No campaigns can be claimed", metadata: ["error": "\(error)"])
            return []
        }
    }
}
