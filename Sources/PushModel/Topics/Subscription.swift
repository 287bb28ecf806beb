// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// That a device, a user or a URL gets what is published to a topic.
public struct Subscription: Hashable, Sendable {
    /// How long a subscription waits for its confirmation before it is removed.
    public static let pendingLifetime: Duration = .seconds(2 * 24 * 3600)

    /// How far a subscription has come.
    public enum State: Hashable, Sendable {
        /// It waits for its confirmation, and gets nothing but the request for that.
        ///
        /// Can transition to: `confirmed`.
        case pending

        /// It gets what is published. Devices and users are confirmed from the beginning.
        ///
        /// - Parameter isAuthenticated: whether whoever confirmed it showed a key.
        case confirmed(isAuthenticated: Bool)
    }

    /// Names the subscription.
    public let id: SubscriptionID

    /// The topic.
    public let topic: TopicName

    /// Who is subscribed.
    public let subscriber: Subscriber

    /// Which messages are wanted; `nil` wants all.
    public var filter: SubscriptionFilter?

    /// What else was set, such as `RawMessageDelivery` and `DeliveryPolicy`, by the names of whoever set it.
    public var attributes: [String: String]

    /// How far it has come.
    public var state: State

    /// The SHA-256 of the token by which it is confirmed, which stays once it was used; `nil` for what never needed one.
    public var confirmation: [UInt8]?

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    /// Describes a subscription.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - topic: the topic.
    ///   - subscriber: who is subscribed.
    ///   - filter: which messages are wanted, or `nil` for all.
    ///   - attributes: what else was set.
    ///   - state: how far it has come.
    ///   - confirmation: the SHA-256 of the token by which it is confirmed, or `nil`.
    ///   - createdAt: when it was made.
    public init(
        id: SubscriptionID,
        topic: TopicName,
        subscriber: Subscriber,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:],
        state: State = .confirmed(isAuthenticated: true),
        confirmation: [UInt8]? = nil,
        createdAt: Date
    ) {
        self.id = id
        self.topic = topic
        self.subscriber = subscriber
        self.filter = filter
        self.attributes = attributes
        self.state = state
        self.confirmation = confirmation
        self.createdAt = createdAt
    }

    /// Whether it gets what is published.
    public var isConfirmed: Bool { self.state != .pending }
}
