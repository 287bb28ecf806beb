// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
package import PushModel
import PushStore
import ServiceLifecycle
import Topics
import Webhooks

/// What every turn works with.
struct TopicPostingContext: Sendable {
    /// What became of a delivery, as it is counted.
    enum End: String {
        /// The URL has taken it.
        case delivered

        case again

        /// It was tried as often as it may be, or the URL refused it for good.
        case givenUp = "given-up"

        /// Nobody wants it any more.
        case obsolete
    }

    let store: any TopicPostingService.Store
    let sender: WebhookSender
    let signer: DeliverySigner
    let tokens: ConfirmationTokens

    /// Opens the users of URLs.
    let masterKey: MasterKey
    let configuration: TopicPostingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    /// Leases deliveries; those of one subscription make a turn.
    func claim(_ limit: Int) async -> [[TopicDelivery]] {
        guard limit > 0 else { return [] }
        do {
            let deliveries = try await self.store.claimDeliveries(
                limit: limit,
                each: self.configuration.requestsAtOnce,
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            var turns: [[TopicDelivery]] = []
            for delivery in deliveries {
                if turns.last?.last?.subscriptionID == delivery.subscriptionID {
                    turns[turns.count - 1].append(delivery)
                } else {
                    turns.append([delivery])
                }
            }
            return turns
        } catch {
            // The next signal or poll tries again.
            self.logger.error("No deliveries to URLs can be claimed", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Counts a request by what came back: the status, or why there was none.
    func count(_ answer: WebhookAnswer) {
        let result = answer.status.map(String.init) ?? answer.failure?.rawValue ?? "none"
        let dimensions = [("result", result)]
        Counter(label: "apus_topics_requests_total", dimensions: dimensions, factory: self.metrics).increment()
    }

    func count(_ end: End) {
        let dimensions = [("end", end.rawValue)]
        Counter(label: "apus_topics_deliveries_total", dimensions: dimensions, factory: self.metrics).increment()
    }
}

/// How much is posted to URLs that are subscribed to topics at once, and how long is waited.
package struct TopicPostingConfiguration: Hashable, Sendable {
    /// How long a URL has to answer a request altogether: name, connection, handshake and answer.
    package static let deadline: Duration = .seconds(15)

    /// The name under which this process leases deliveries; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    package var worker: WorkerID

    /// How many subscriptions are posted to at once.
    ///
    /// Range: 1...1000. Default: 64. One that does not answer holds its place until its requests' deadline.
    package var concurrency = 64

    /// How many requests are on their way to one subscription at once.
    ///
    /// Range: 1...1000. Default: 4.
    package var requestsAtOnce = 4

    /// How long deliveries are leased.
    ///
    /// Default: 1 minute; it has to be longer than the deadline of a request.
    package var leaseDuration: Duration = .seconds(60)

    /// How often the store is asked for deliveries of which no signal told: those of other processes, lapsed leases, and those
    /// that are tried again.
    ///
    /// Default: 1 second.
    package var pollInterval: Duration = .seconds(1)

    package init(worker: WorkerID = .unique()) {
        self.worker = worker
    }
}
