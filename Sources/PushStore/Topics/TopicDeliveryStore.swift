// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is to be posted to URLs that are subscribed to topics.
///
/// Its life: `publish` and `enqueue` add deliveries; `claimDeliveries` gives a worker the lease of some, the worker posts
/// them and tells by `settleDelivery`. A lease that lapses is claimed by others, so that what was posted but not settled is
/// posted twice, under the same message's id. Deliveries to one URL are in no order.
///
/// What waits for a subscription is its queue: nothing is leased of one of which a worker holds leases, so that a URL that does
/// not answer holds nobody up but itself. A queue that is full takes no more of what is published.
public protocol TopicDeliveryStore: Sendable {
    /// Has a message posted to one URL, whatever the state of its subscription, which may be gone already.
    ///
    /// Does nothing while anything is still to be posted for that subscription.
    ///
    /// Signals ``StoreChange/topicDeliveriesReady``.
    /// - Parameters:
    ///   - message: the message.
    ///   - subscription: the subscription that it is about.
    ///   - url: where it is posted to.
    ///   - now: from when on.
    /// - Throws: ``StoreError``.
    func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws

    /// Leases deliveries that are due, of the subscriptions first that have waited longest.
    ///
    /// Atomic: two workers never hold deliveries of the same subscription unless a lease lapsed. Nothing is written when
    /// there is none.
    /// - Parameters:
    ///   - limit: the most subscriptions, 1...1000.
    ///   - each: the most deliveries of one of them, 1...1000.
    ///   - worker: who asks.
    ///   - leaseDuration: how long the leases hold; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: the deliveries, those of a subscription side by side, the oldest first.
    /// - Throws: ``StoreError``.
    func claimDeliveries(
        limit: Int,
        each: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery]

    /// Books what became of a delivery; does nothing when the worker lost the lease.
    ///
    /// - Parameters:
    ///   - id: the delivery.
    ///   - worker: who holds the lease.
    ///   - end: what became of it.
    /// - Throws: ``StoreError``.
    func settleDelivery(_ id: TopicDeliveryID, worker: WorkerID, as end: TopicDeliveryEnd) async throws
}

/// What holds for the queue of every subscription.
public enum TopicQueue {
    /// How many deliveries wait for one subscription at most; what is published beyond is not posted to it.
    public static let maximumDeliveries = 10_000
}

/// The number of a delivery, given by the store.
public struct TopicDeliveryID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int64

    /// Takes a number that a store gave before.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A message that is to be posted to a URL.
public struct TopicDelivery: Hashable, Sendable {
    /// Its number.
    public var id: TopicDeliveryID

    /// The message.
    public var message: TopicMessage

    /// The subscription that it is about.
    public var subscriptionID: SubscriptionID

    /// That subscription as it stands; `nil` when it was removed.
    public var subscription: Subscription?

    /// Where it is posted to.
    public var url: String

    /// How often it was tried before.
    public var attempts: Int

    /// Takes what is known of it.
    public init(
        id: TopicDeliveryID,
        message: TopicMessage,
        subscriptionID: SubscriptionID,
        subscription: Subscription?,
        url: String,
        attempts: Int
    ) {
        self.id = id
        self.message = message
        self.subscriptionID = subscriptionID
        self.subscription = subscription
        self.url = url
        self.attempts = attempts
    }
}

/// What became of a delivery.
public enum TopicDeliveryEnd: Hashable, Sendable {
    /// It was posted, or is given up: it goes.
    case done

    /// It is tried again then; that is counted.
    case again(at: Date)

    /// The worker gives it back without having tried.
    case untried
}
