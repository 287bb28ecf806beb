// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
package import PushModel
package import PushStore
import ServiceLifecycle
package import Topics
package import Webhooks

/// Posts what is published to topics to the URLs that are subscribed to them, and asks new ones for their confirmation.
///
/// Subscriptions never wait for one another: each has a queue of its own, which is leased as a whole and taken by itself, so
/// many at once. A delivery that fails is tried again as the policies of topic and subscription say, and given up in the end.
/// Several processes may share a store. At least once: what was posted and not settled when a process dies is posted again,
/// under the same `x-amz-sns-message-id`.
///
/// On graceful shutdown no request is begun any more; those that are on their way are answered and settled.
package struct TopicPostingService: Service {
    /// What it needs of a store.
    package typealias Store = StoreSignals & TopicDeliveryStore & TopicStore

    private let context: TopicPostingContext

    package init(
        store: any Store,
        sender: WebhookSender,
        signer: DeliverySigner,
        tokens: ConfirmationTokens,
        masterKey: MasterKey,
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
            masterKey: masterKey,
            configuration: configuration,
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
            changes: context.store.changes { $0 == .topicDeliveriesReady },
            claim: { await context.claim($0) },
            take: { await TopicPostingTurn(deliveries: $0, context: context).run() }
        ).run()
    }
}
