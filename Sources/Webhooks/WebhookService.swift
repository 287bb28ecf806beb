// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import Logging
public import Metrics
import PushModel
public import PushStore
public import ServiceLifecycle

/// Posts the events of the feed to the receivers that asked for them.
///
/// Each webhook gets its events in their order, up to 100 in one request, and the next ones only after a 2xx. Webhooks
/// never wait for one another: each is leased and run by itself, so many at once, and only for a few requests before
/// others have their turn. Several processes may share a store. At least once: what was posted and not settled when a
/// process dies is posted again, so receivers tell events apart by their `id`.
///
/// On graceful shutdown no request is begun any more; those that are on their way are answered and settled.
public struct WebhookService: Service {
    private let context: WebhookContext

    /// A service that posts as soon as it is run.
    public init(
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
    public func run() async throws {
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
public typealias WebhookSource = EventStore & StoreSignals & WebhookStore
