// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        now: Date,
        checking check: @escaping @Sendable (PushTopic) throws -> Void
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        try await self.forward {
            try await self.base.createTopic(
                name,
                attributes: attributes,
                tags: tags,
                for: app,
                now: now,
                checking: check
            )
        }
    }

    /// Asks the store that does the work.
    public func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic? {
        try await self.forward { try await self.base.topic(name, of: app) }
    }

    /// Asks the store that does the work.
    public func topics(
        of app: AppID?,
        after cursor: TopicName?,
        limit: Int
    ) async throws -> Page<PushTopic, TopicName> {
        try await self.forward { try await self.base.topics(of: app, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    public func changeTopic(
        _ name: TopicName,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws -> PushTopic? {
        try await self.forward { try await self.base.changeTopic(name, change) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func deleteTopic(_ name: TopicName, of app: AppID?) async throws -> Bool {
        try await self.forward { try await self.base.deleteTopic(name, of: app) }
    }

    /// Asks the store that does the work.
    public func subscriptionCounts(of name: TopicName, app: AppID?) async throws -> SubscriptionCounts? {
        try await self.forward { try await self.base.subscriptionCounts(of: name, app: app) }
    }

    /// Asks the store that does the work.
    public func pruneTopics(pendingBefore time: Date, limit: Int) async throws -> Bool {
        try await self.forward { try await self.base.pruneTopics(pendingBefore: time, limit: limit) }
    }

    // MARK: Subscriptions

    /// Asks the store that does the work.
    public func subscribe(
        _ subscription: Subscription,
        policyLimit: Int,
        urlLimit: Int
    ) async throws -> SubscribeOutcome {
        try await self.forward {
            try await self.base.subscribe(subscription, policyLimit: policyLimit, urlLimit: urlLimit)
        }
    }

    /// Asks the store that does the work.
    public func confirmSubscription(
        to topic: TopicName,
        token: [UInt8],
        isAuthenticated: Bool
    ) async throws -> Subscription? {
        try await self.forward {
            try await self.base.confirmSubscription(to: topic, token: token, isAuthenticated: isAuthenticated)
        }
    }

    /// Asks the store that does the work.
    public func subscription(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.forward { try await self.base.subscription(id) }
    }

    /// Asks the store that does the work.
    public func subscription(of subscriber: Subscriber, to topic: TopicName) async throws -> Subscription? {
        try await self.forward { try await self.base.subscription(of: subscriber, to: topic) }
    }

    /// Asks the store that does the work.
    public func subscriptions(
        to topic: TopicName?,
        of app: AppID?,
        after cursor: SubscriptionID?,
        limit: Int
    ) async throws -> Page<Subscription, SubscriptionID> {
        try await self.forward {
            try await self.base.subscriptions(to: topic, of: app, after: cursor, limit: limit)
        }
    }

    /// Asks the store that does the work.
    public func subscriptions(of installation: InstallationID, app: AppID) async throws -> [Subscription] {
        try await self.forward { try await self.base.subscriptions(of: installation, app: app) }
    }

    /// Asks the store that does the work.
    public func changeSubscription(
        _ id: SubscriptionID,
        policyLimit: Int,
        _ change: @escaping @Sendable (inout Subscription) throws -> Void
    ) async throws -> Subscription? {
        try await self.forward { try await self.base.changeSubscription(id, policyLimit: policyLimit, change) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func unsubscribe(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.forward { try await self.base.unsubscribe(id) }
    }

    // MARK: Publications

    /// Asks the store that does the work.
    public func outline(of name: TopicName, app: AppID?) async throws -> TopicOutline? {
        try await self.forward { try await self.base.outline(of: name, app: app) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func publish(_ publication: Publication, noting record: IdempotencyRecord?) async throws -> Int {
        try await self.forward { try await self.base.publish(publication, noting: record) }
    }

    /// Asks the store that does the work.
    public func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws {
        try await self.forward { try await self.base.enqueue(message, about: subscription, to: url, now: now) }
    }

    /// Asks the store that does the work.
    public func claimDeliveries(
        limit: Int,
        each: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery] {
        try await self.forward {
            try await self.base.claimDeliveries(
                limit: limit,
                each: each,
                worker: worker,
                leaseDuration: leaseDuration,
                now: now
            )
        }
    }

    /// Asks the store that does the work.
    public func settleDelivery(_ id: TopicDeliveryID, worker: WorkerID, as end: TopicDeliveryEnd) async throws {
        try await self.forward { try await self.base.settleDelivery(id, worker: worker, as: end) }
    }

    /// Asks the store that does the work.
    public func deliveryIdentity() async throws -> StoredDeliveryIdentity? {
        try await self.forward { try await self.base.deliveryIdentity() }
    }

    /// Asks the store that does the work.
    public func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity {
        try await self.forward { try await self.base.replaceDeliveryIdentity(former, with: identity) }
    }
}
