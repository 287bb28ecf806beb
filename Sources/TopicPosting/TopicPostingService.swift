// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import Logging
public import Metrics
public import PushModel
public import PushStore
public import ServiceLifecycle
public import Topics
public import Webhooks

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

/// How much is posted to URLs that are subscribed to topics at once, and how long is waited.
public struct TopicPostingConfiguration: Hashable, Sendable {
    /// How long a URL has to answer a request altogether: name, connection, handshake and answer.
    public static let deadline: Duration = .seconds(15)

    /// The name under which this process leases deliveries; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    public var worker: WorkerID

    /// How many subscriptions are posted to at once.
    ///
    /// Range: 1...1000. Default: 64. One that does not answer holds its place until its requests' deadline.
    public var concurrency = 64

    /// How many requests are on their way to one subscription at once.
    ///
    /// Range: 1...1000. Default: 4.
    public var requestsAtOnce = 4

    /// How long deliveries are leased.
    ///
    /// Default: 1 minute; it has to be longer than the deadline of a request.
    public var leaseDuration: Duration = .seconds(60)

    /// How often the store is asked for deliveries of which no signal told: those of other processes, lapsed leases, and those
    /// that are tried again.
    ///
    /// Default: 1 second.
    public var pollInterval: Duration = .seconds(1)

    public init(worker: WorkerID = TopicPostingConfiguration.uniqueWorker()) {
        self.worker = worker
    }

    /// A worker's name that no other process has: `topics-` and 16 random hexadecimal digits.
    public static func uniqueWorker() -> WorkerID {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return WorkerID(unchecked: "topics-" + String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
