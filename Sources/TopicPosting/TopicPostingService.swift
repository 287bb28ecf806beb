// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import Metrics
import PushModel
public import PushStore
public import ServiceLifecycle
public import Topics
public import Webhooks

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Posts what is published to topics to the URLs that are subscribed to them, and asks new ones for their confirmation.
///
/// Subscriptions never wait for one another: each has a queue of its own, which is leased as a whole and taken by itself, so
/// many at once. A delivery that fails is tried again as the policies of topic and subscription say, and given up in the end.
/// Several processes may share a store. At least once: what was posted and not settled when a process dies is posted again,
/// under the same `x-amz-sns-message-id`.
///
/// On graceful shutdown no request is begun any more; those that are on their way are answered and settled.
public struct TopicPostingService: Service {
    /// What it needs of a store.
    public typealias Store = StoreSignals & TopicDeliveryStore & TopicStore

    private let context: TopicPostingContext

    /// A service that posts as soon as it is run.
    ///
    /// - Parameters:
    ///   - store: the deliveries and the topics.
    ///   - sender: what posts: says what may be connected to, and how long an answer may take.
    ///   - signer: signs what is posted.
    ///   - tokens: the tokens that confirm subscriptions.
    ///   - configuration: the limits.
    ///   - clock: what waiting is done by.
    ///   - now: the time of day, for leases and repetitions.
    ///   - metrics: where requests are counted.
    ///   - logger: told of URLs that fail and of failures of the store.
    public init(
        store: any Store,
        sender: WebhookSender,
        signer: DeliverySigner,
        tokens: ConfirmationTokens,
        configuration: TopicPostingConfiguration = TopicPostingConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.context = TopicPostingContext(
            store: store,
            sender: sender,
            signer: signer,
            tokens: tokens,
            configuration: configuration,
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
            changes: context.store.changes { $0 == .topicDeliveriesReady },
            claim: { await context.claim($0) },
            take: { await TopicPostingTurn(deliveries: $0, context: context).run() }
        ).run()
    }
}
