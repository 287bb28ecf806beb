// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle

/// Posts the events of the feed to the receivers that asked for them.
///
/// Each webhook gets its events in their order, up to 100 in one request, and the next ones only after a 2xx. Webhooks
/// never wait for one another: each is leased and run by itself, so many at once, and only for a few requests before
/// others have their turn. Several processes may share a store. At least once: what was posted and not settled when a
/// process dies is posted again, so receivers tell events apart by their `id`.
///
/// On graceful shutdown no request is begun any more; those that are on their way are answered and settled.
package struct WebhookService: Service {
    private let context: WebhookContext

    /// A service that posts as soon as it is run.
    package init(
        store: any WebhookSource,
        sender: WebhookSender,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.context = WebhookContext(
            store: store,
            sender: sender,
            clock: clock,
            now: now,
            metrics: metrics,
            logger: logger
        )
    }

    /// Posts until the service is shut down or the task is cancelled.
    package func run() async throws {
        let context = self.context
        await TurnLoop(
            concurrency: context.configuration.concurrency,
            pollInterval: context.configuration.pollInterval,
            clock: context.clock,
            changes: context.store.changes(\.concernsWebhooks),
            claim: { await context.claim($0) },
            take: { await WebhookTurn(webhook: $0, context: context).run() }
        ).run()
    }
}

extension StoreChange {
    /// Whether a webhook may be claimable after it that was not before.
    fileprivate var concernsWebhooks: Bool {
        switch self {
        case .eventsAppended, .webhooksChanged, .missed: true
        case .batchReady, .batchAdvanced, .batchSettled, .notificationSettled, .halted, .campaignChanged,
            .activitiesDue, .jobsDue, .topicDeliveriesReady:
            false
        }
    }
}

/// What posting to receivers needs of a store: the webhooks, the feed, and word of new events.
package typealias WebhookSource = EventStore & StoreSignals & WebhookStore

/// What every turn works with.
struct WebhookContext: Sendable {
    let store: any WebhookSource
    let sender: WebhookSender
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    var configuration: WebhookConfiguration { self.sender.configuration }

    /// Leases webhooks that have events to get.
    func claim(_ limit: Int) async -> [Webhook] {
        guard limit > 0 else { return [] }
        do {
            return try await self.store.claimWebhooks(
                limit: limit,
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
        } catch {
            // The next signal or poll tries again.
            self.logger.error("No webhooks can be claimed", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Counts a request by what came back: the status, or why there was none.
    func count(_ answer: WebhookAnswer) {
        let result = answer.status.map(String.init) ?? answer.failure?.rawValue ?? "none"
        let dimensions = [("result", result)]
        Counter(label: "apus_webhooks_requests_total", dimensions: dimensions, factory: self.metrics).increment()
    }
}
