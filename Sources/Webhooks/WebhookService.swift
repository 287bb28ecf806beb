// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
package import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Sends the events of the feed to webhooks.
///
/// Each webhook receives its events in order, up to 100 in one request, and the next ones only after a 2xx. Webhooks
/// never wait for one another: each is leased and processed separately, with a limit on concurrent ones, and only for a
/// few requests per claim. Several processes may share a store. Delivery is at least once: after a crash, unsettled
/// events are sent again, so webhooks identify events by their `id`.
///
/// On graceful shutdown, no request starts; requests in flight are completed and settled.
package struct WebhookService: Service {
    let store: any WebhookServiceStore
    let sender: WebhookSender
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    package init(
        store: any WebhookServiceStore,
        sender: WebhookSender,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.store = store
        self.sender = sender
        self.clock = clock
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async throws {
        let configuration = self.sender.configuration
        let capacity = Slots<Webhook>(configuration.concurrency)
        let loop = ClaimLoop(
            kind: "webhooks",
            capacity: capacity,
            pollInterval: configuration.pollInterval,
            pause: configuration.idlePause,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { limit in
            let (worker, duration) = (configuration.worker, configuration.leaseDuration)
            let now = self.now()
            return Claimed(
                try await self.store.claimWebhooks(limit: limit, worker: worker, leaseDuration: duration, now: now)
            )
        } process: { webhook, slot in
            await WebhookProcessor(webhook: webhook, context: self).run()
            slot.end()
        }
        // Every send appends events. To wake the task that reads the stream for each of them would cost more than the
        // claim. So this closure signals the loop itself, and the stream has nothing but `.missed`.
        let changes = self.store.changes { change in
            switch change {
            case .eventsAppended, .webhooksChanged: capacity.signal()
            default: break
            }
            return false
        }
        await loop.run(on: changes)
    }
}

/// The store of the service: the webhooks, the feed, and signals of new events.
package typealias WebhookServiceStore = EventStore & StoreChangeSource & WebhookStore

extension WebhookAttemptResult {
    package func count(as label: String, in metrics: any MetricsFactory) {
        Counter(label: label, dimensions: [("result", self.result)], factory: metrics).increment()
    }

    /// The status, or why there was none.
    package var result: String { self.status.map(String.init) ?? self.failure?.rawValue ?? "none" }
}
