// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// What is subscribed to topics.
///
/// A device that names a topic in its profile is not among these: that is its own word, which it takes back by
/// itself. What is published reaches both (`SubscriberRule`).
public protocol SubscriptionStore: Sendable {
    /// Subscribes a device, a user or a URL to a topic; once only: what is subscribed already stays as it is.
    ///
    /// - Parameters:
    ///   - subscription: the subscription.
    ///   - policyLimit: how many distinct filter policies the topic may have, up to `PushTopic.maximumPolicies`.
    ///   - urlLimit: how many URLs the topic may have, those that have not confirmed included; 1 or more.
    /// - Returns: what that comes to.
    /// - Throws: ``StoreError``.
    func subscribe(_ subscription: Subscription, policyLimit: Int, urlLimit: Int) async throws -> SubscribeOutcome

    /// Confirms the subscription that waits for a token; one that it has confirmed already is answered as it is.
    ///
    /// - Parameters:
    ///   - topic: the topic.
    ///   - token: the SHA-256 of the token.
    ///   - isAuthenticated: whether whoever confirms it showed a key.
    /// - Returns: the subscription as it stands now; `nil` when none of the topic has that token.
    /// - Throws: ``StoreError``.
    func confirmSubscription(
        to topic: TopicName,
        token: [UInt8],
        isAuthenticated: Bool
    ) async throws -> Subscription?

    /// The subscription of that id, or `nil`.
    func subscription(_ id: SubscriptionID) async throws -> Subscription?

    /// The subscription of somebody to a topic, or `nil`.
    func subscription(of subscriber: Subscriber, to topic: TopicName) async throws -> Subscription?

    /// Subscriptions in the order in which they were made.
    ///
    /// - Parameters:
    ///   - topic: of which topic; `nil` for all topics.
    ///   - app: of which app; `nil` for all, those of URLs included.
    ///   - cursor: the subscription behind which to begin, which need not exist any more; `nil` begins at the first.
    ///   - limit: the most subscriptions to answer, 1...1000.
    /// - Returns: a page of subscriptions; empty for topics and apps that do not exist.
    /// - Throws: ``StoreError``.
    func subscriptions(
        to topic: TopicName?,
        of app: AppID?,
        after cursor: SubscriptionID?,
        limit: Int
    ) async throws -> Page<Subscription, SubscriptionID>

    /// All subscriptions of a device itself, in the order in which they were made; at most 10,000.
    func subscriptions(of installation: InstallationID, app: AppID) async throws -> [Subscription]

    /// Changes filter and attributes of a subscription in one transaction; nothing else of it can be changed.
    ///
    /// - Parameters:
    ///   - id: the subscription.
    ///   - policyLimit: how many distinct filter policies its topic may have, up to `PushTopic.maximumPolicies`.
    ///   - change: what to change; it may run more than once, and when it throws nothing is changed.
    /// - Returns: the subscription as it stands now; `nil` when there is none of that id.
    /// - Throws: ``StoreError``; ``TooManyPolicies``; and what `change` throws.
    func changeSubscription(
        _ id: SubscriptionID,
        policyLimit: Int,
        _ change: @escaping @Sendable (inout Subscription) throws -> Void
    ) async throws -> Subscription?

    /// Ends a subscription.
    ///
    /// - Returns: the subscription as it was; `nil` when there was none of that id.
    @discardableResult
    func unsubscribe(_ id: SubscriptionID) async throws -> Subscription?
}

extension SubscriptionStore {
    /// Subscribes to a topic that has up to ``TopicOutline/maximumURLs`` URLs; see
    /// ``subscribe(_:policyLimit:urlLimit:)``.
    public func subscribe(_ subscription: Subscription, policyLimit: Int) async throws -> SubscribeOutcome {
        try await self.subscribe(
            subscription,
            policyLimit: policyLimit,
            urlLimit: TopicOutline.maximumURLs
        )
    }
}

/// What it comes to when somebody is subscribed to a topic.
public enum SubscribeOutcome: Hashable, Sendable {
    /// The subscription is new.
    case created(Subscription)

    /// There was one already, which stays as it is.
    case existing(Subscription)

    /// There is no such topic.
    case noTopic

    /// There is no such device, or no such app.
    case noSubscriber

    /// The topic has as many distinct filter policies as it may have.
    case tooManyPolicies

    /// The topic has as many URLs as it may have.
    case tooManyURLs
}

/// A topic has as many distinct filter policies as it may have.
public struct TooManyPolicies: Error, Hashable, CustomStringConvertible {
    /// How many these are.
    public let limit: Int

    /// Takes the limit.
    public init(limit: Int) { self.limit = limit }

    /// The limit, in words.
    public var description: String {
        "The topic has \(self.limit) distinct filter policies, which is the most it may have."
    }
}
