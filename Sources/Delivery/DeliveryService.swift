// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import APNsClient
package import Foundation
package import Logging
package import Metrics
package import PushModel
package import PushStore
import ServiceLifecycle

/// Claims batches, sends them through APNs and settles what became of them.
///
/// Each lane is claimed by a loop of its own, so that urgent batches never wait behind bulk ones. A signal of the store
/// starts a claim at once; a slow poll finds lapsed leases and what other processes accepted. Delivery is at least
/// once: a slice that was sent but not settled when a process dies is sent again, with the same `apns-id`s.
///
/// On graceful shutdown nothing more is claimed, what is in flight is answered and settled, and the rest is released
/// for others. Put the client before this service in a group: then it outlives it.
package struct DeliveryService: Service {
    private let context: DeliveryContext
    private let bulkExecutor: (any TaskExecutor)?

    /// A service that delivers as soon as it is run.
    ///
    /// The client has to run. Without `masterKey`, sealed credentials are unusable. The `bulkExecutor` runs the bulk
    /// lane, so that urgent batches do not wait for a thread behind it. `announcements` publishes outcomes before the
    /// store has them, for callers in this process.
    package init(
        store: any DeliveryStore,
        client: APNsClient,
        masterKey: MasterKey?,
        configuration: DeliveryConfiguration = DeliveryConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        bulkExecutor: (any TaskExecutor)? = nil,
        announcements: Announcements = Announcements(),
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.bulkExecutor = bulkExecutor
        self.context = DeliveryContext(
            store: store,
            client: client,
            configuration: configuration,
            resolver: DestinationResolver(
                credentials: store,
                masterKey: masterKey,
                credentialDirectory: configuration.credentialDirectory,
                endpoints: configuration.endpoints,
                lifetime: configuration.credentialLifetime,
                logger: logger
            ),
            clock: clock,
            now: now,
            logger: logger,
            announcements: announcements,
            metrics: DeliveryMetrics(metrics)
        )
    }

    /// How the pushes of an app stand in each environment and with each credential, as far as this process has tried.
    ///
    /// - Returns: what this process knows; other processes have breakers of their own.
    package func standings(of app: AppID) -> [LineStanding] {
        let now = self.context.now()
        return self.context.breakers.lines(of: app)
            .map { LineStanding($0.line, $0.breaker, kinds: $0.kinds, now: now) }
            .sorted {
                ($0.environment.rawValue, $0.credential.rawValue) < ($1.environment.rawValue, $1.credential.rawValue)
            }
    }

    /// Delivers until the service is shut down or the task is cancelled.
    package func run() async throws {
        let loops = Lane.allCases.map { LaneLoop(lane: $0, context: self.context) }
        // Subscribed before the first claim, so that nothing is missed between the two.
        let changes = self.context.store.changes(\.concernsDelivery)
        let taker = LaneTaker(context: self.context)
        self.context.store.beginHandOver(to: taker)
        defer { self.context.store.endHandOver(to: taker) }
        await withDiscardingTaskGroup { group in
            for loop in loops {
                group.addTask(executorPreference: loop.lane == .bulk ? self.bulkExecutor : nil) { await loop.run() }
            }
            group.addTask { await self.context.pauses.run(self.context) }
            group.addTask { await HaltWatch(context: self.context).run() }
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await change in changes {
                        for loop in loops { loop.hear(change) }
                        if case .halted(let notification) = change { self.context.halts.halt(notification) }
                    }
                }
            }
        }
    }
}

extension StoreChange {
    /// Whether there may be something to send after it, or to send no more.
    fileprivate var concernsDelivery: Bool {
        switch self {
        case .batchReady, .halted, .missed: true
        case .batchAdvanced, .batchSettled, .notificationSettled, .campaignChanged, .activitiesDue, .jobsDue,
            .eventsAppended, .webhooksChanged, .topicDeliveriesReady:
            false
        }
    }
}

/// What delivery needs of a store: the queue, the credentials and what is wrong with them, what is paused, and word of new batches.
package typealias DeliveryStore = BatchStore & CredentialStore & CredentialTroubleStore & DeliveryPauseStore
    & StoreSignals
