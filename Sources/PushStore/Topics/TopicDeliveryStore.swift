// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The deliveries of messages to the subscribed URLs of topics.
///
/// `publish` and `enqueue` add deliveries, `claimDeliveries` leases some to a worker, and `settleDelivery` ends them.
/// After a lease expired, a message is posted again under the same ID. Deliveries to one URL are in no order.
/// While a worker holds leases of a subscription, no others are leased, so a slow URL delays only itself.
public protocol TopicDeliveryStore: Sendable {
    /// Posts a message to one URL unless a delivery waits; signals ``StoreChange/topicDeliveriesReady``.
    func enqueue(_ message: TopicMessage, about subscription: SubscriptionID, to url: String, now: Date) async throws

    /// Leases deliveries that are due, of the subscriptions first that have waited longest.
    ///
    /// `limit` is the maximum number of subscriptions, `each` that of deliveries of one subscription, 1...1000.
    /// - Returns: the deliveries, those of a subscription side by side, the oldest first.
    func claimDeliveries(
        limit: Int,
        each: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery]

    /// Stores the result of a delivery; does nothing if the worker lost the lease.
    func settleDelivery(_ id: Int64, worker: WorkerID, as end: TopicDeliveryResult) async throws
}

public struct TopicDelivery: Hashable, Sendable {
    /// The largest number of deliveries that wait for one subscription; further messages are not posted to it.
    public static let maximumQueued = 10_000

    public var id: Int64
    public var message: TopicMessage
    public var subscriptionID: SubscriptionID

    /// The current subscription; `nil` if it was removed.
    public var subscription: Subscription?
    public var url: String
    public var attempts: Int
}

public enum TopicDeliveryResult: Hashable, Sendable {
    /// It was posted, or has failed: it is removed.
    case done

    /// It is tried again then; that is counted.
    case again(at: Date)

    /// The worker gives it back without having tried.
    case untried
}

extension TopicDelivery {
    package init(stored row: StoredRow, subscription: Subscription?) throws {
        self.init(
            id: try row.int64("number"),
            message: TopicMessage(
                id: try row.apnsID("message", of: "delivery"),
                topic: try row.identifier("topic"),
                content: try row.openedBlob("content"),
                createdAt: try row.date("created_at")
            ),
            subscriptionID: SubscriptionID(try row.apnsID("subscription", of: "delivery")),
            subscription: subscription,
            url: try row.string("url"),
            attempts: try row.number("attempts", in: StoredLimit.counts)
        )
    }
}

/// The identity that signs all messages to HTTP subscriptions; one for all processes on a store.
public protocol SigningIdentityStore: Sendable {
    func deliveryIdentity() async throws -> StoredSigningIdentity?

    /// Replaces the identity if it is still `former`, which is `nil` for none; returns the current one.
    func replaceDeliveryIdentity(
        _ former: StoredSigningIdentity?,
        with identity: StoredSigningIdentity
    ) async throws -> StoredSigningIdentity
}

public struct StoredSigningIdentity: Hashable, Sendable {
    /// The certificate in PEM, which is public.
    public var certificate: String

    /// The key, sealed by the master key.
    public var sealedKey: [UInt8]

    public init(certificate: String, sealedKey: [UInt8]) {
        self.certificate = certificate
        self.sealedKey = sealedKey
    }
}
