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
import Work

/// Delivers publications of topics to HTTP subscriptions, and requests the confirmation of new ones.
///
/// Subscriptions never wait for one another: each has a separate queue, which is leased as a whole; the number of
/// concurrent queues is limited. A failed delivery is retried as the policies of topic and subscription say, and fails
/// in the end. Several processes may share a store. Delivery is at least once: after a crash, an unsettled delivery is
/// posted again with the same `x-amz-sns-message-id`.
///
/// On graceful shutdown, no request starts; requests in flight are completed and settled.
package struct TopicHTTPDeliveryService: Service {
    package typealias Store = StoreChangeSource & TopicDeliveryStore & TopicStore

    /// The result of a delivery, for the metrics.
    enum Result: String {
        case delivered

        /// It is retried later.
        case retried

        /// The retries are exhausted, or the URL responded with a permanent error.
        case failed

        /// The subscription has ended, or the message cannot be decoded.
        case unsubscribed
    }

    let store: any Store
    let sender: WebhookSender
    let signer: MessageSigner
    let tokens: ConfirmationTokens

    /// Opens the users of URLs.
    let masterKey: MasterKey
    let configuration: TopicHTTPDeliveryConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    package init(
        store: any Store,
        sender: WebhookSender,
        signer: MessageSigner,
        tokens: ConfirmationTokens,
        masterKey: MasterKey,
        configuration: TopicHTTPDeliveryConfiguration = TopicHTTPDeliveryConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.store = store
        self.sender = sender
        self.signer = signer
        self.tokens = tokens
        self.masterKey = masterKey
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async throws {
        let configuration = self.configuration
        let loop = ClaimLoop(
            kind: "topic deliveries",
            capacity: Slots<[TopicDelivery]>(configuration.concurrency),
            pollInterval: configuration.pollInterval,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { limit in
            let deliveries = try await self.store.claimDeliveries(
                limit: limit,
                each: configuration.requestsAtOnce,
                worker: configuration.worker,
                leaseDuration: configuration.leaseDuration,
                now: self.now()
            )
            // Those of one subscription are processed together.
            return Claimed(Array(Dictionary(grouping: deliveries, by: \.subscriptionID).values))
        } process: { deliveries, slot in
            await TopicDeliveryProcessor(deliveries: deliveries, context: self).run()
            slot.end()
        }
        await loop.run(on: self.store.changes { $0 == .topicDeliveriesReady })
    }

    func count(_ result: Result) {
        let dimensions = [("result", result.rawValue)]
        Counter(label: "apus_topics_deliveries_total", dimensions: dimensions, factory: self.metrics).increment()
    }
}

/// How much is posted to URLs that are subscribed to topics at once, and how long is waited.
package struct TopicHTTPDeliveryConfiguration: Hashable, Sendable {
    /// How long a URL has to answer a request altogether: name, connection, handshake and answer.
    package static let deadline: Duration = .seconds(15)

    /// The lease holder's name of this process, a new one at every start; unique among all that share a store.
    package var worker: WorkerID

    /// How many subscriptions are posted to at once, 1...1000.
    ///
    /// One that does not answer holds its place until its requests' deadline.
    package var concurrency = 64

    /// How many requests are on their way to one subscription at once, 1...1000.
    package var requestsAtOnce = 4

    /// How long deliveries are leased; it has to be longer than the deadline of a request.
    package var leaseDuration: Duration = .seconds(60)

    /// The interval of polls, which find what no signal reported: deliveries of other processes, expired leases, and
    /// retries.
    package var pollInterval: Duration = .seconds(1)

    package init(worker: WorkerID = .unique()) { self.worker = worker }
}
