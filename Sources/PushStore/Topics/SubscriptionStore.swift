// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel

/// The subscriptions to topics.
///
/// A device that reports a topic in its profile has no subscription. Publications reach both (`TopicAudience`).
public protocol SubscriptionStore: Sendable {
    /// Subscribes a device, a user or a URL to a topic; an existing subscription does not change.
    ///
    /// `policyLimit` is the maximum number of distinct filter policies of the topic, up to `PushTopic.maximumPolicies`.
    /// `urlLimit` is the maximum number of its URLs, at least 1; unconfirmed ones count.
    func subscribe(_ subscription: Subscription, policyLimit: Int, urlLimit: Int) async throws -> SubscribeResult

    /// Confirms the subscription that waits for a token; one that it has confirmed already is answered as it is.
    ///
    /// `token` is the SHA-256 hash of the confirmation token. `isAuthenticated` is whether the caller showed an API
    /// key.
    func confirmSubscription(to topic: TopicName, token: [UInt8], isAuthenticated: Bool) async throws -> Subscription?

    func subscription(_ id: SubscriptionID) async throws -> Subscription?

    func subscription(of subscriber: Subscriber, to topic: TopicName) async throws -> Subscription?

    /// Returns subscriptions in the order of their creation.
    ///
    /// Without `topic`, those of all topics. Without `app`, those of all apps and those of URLs. The subscription at
    /// the cursor may have been removed.
    func subscriptions(
        to topic: TopicName?,
        of app: AppID?,
        after cursor: SubscriptionID?,
        limit: Int
    ) async throws -> Page<Subscription, SubscriptionID>

    /// Changes filter and attributes of a subscription in one transaction; its other values do not change.
    ///
    /// `change` may run more than once. If it throws, nothing changes. `policyLimit` is as for `subscribe`.
    /// - Throws: ``StoreError``; ``TooManyPoliciesError``; and the errors of `change`.
    func changeSubscription(
        _ id: SubscriptionID,
        policyLimit: Int,
        _ change: @escaping @Sendable (inout Subscription) throws -> Void
    ) async throws -> Subscription?

    @discardableResult
    func unsubscribe(_ id: SubscriptionID) async throws -> Subscription?
}

extension SubscriptionStore {
    /// Subscribes to a topic that has up to ``TopicSummary/maximumURLs`` URLs.
    public func subscribe(_ subscription: Subscription, policyLimit: Int) async throws -> SubscribeResult {
        try await self.subscribe(subscription, policyLimit: policyLimit, urlLimit: TopicSummary.maximumURLs)
    }
}

public enum SubscribeResult: Hashable, Sendable {
    case created(Subscription)
    case existing(Subscription)
    case noTopic

    /// There is no such device, or no such app.
    case noSubscriber
    case tooManyPolicies
    case tooManyURLs
}

public struct TooManyPoliciesError: Error, Hashable, CustomStringConvertible {
    public let limit: Int

    public init(limit: Int) { self.limit = limit }

    public var description: String {
        "The topic has \(self.limit) distinct filter policies, which is the most it may have."
    }
}

/// The stored form of subscriptions, the same in all stores: state 0 pending, 1 confirmed without a key, 2 with a key.
extension Subscription {
    package init(stored row: StoredRow) throws {
        // It is only shown to callers, so a time that is out of range keeps the subscription from nothing.
        guard let createdAt = try row.clampedDate("created_at") else { throw StoreError.damaged("subscription") }
        var attributes = try row.text("attributes").map { try StoredJSON.decodeTexts($0, "attributes") } ?? [:]
        let deleted = try DeletedEndpoint(stored: row)
        if let deleted { attributes[Self.applicationAttribute] = deleted.application }
        self.init(
            id: SubscriptionID(try row.apnsID("id", of: "subscription")),
            topic: try row.identifier("topic_name"),
            subscriber: try deleted?.subscriber ?? Subscriber(stored: row),
            filter: try row.text("policy_text") == nil
                ? nil : SubscriptionFilter(stored: row, scope: "policy_scope", policy: "policy_text"),
            attributes: attributes,
            state: try row.element("state", of: State.order, in: "subscription"),
            confirmation: try row.bytes("confirmation"),
            sealedUser: try row.bytes("sealed_user"),
            createdAt: createdAt
        )
    }

    /// The value of the column `attributes`; `nil` for none, as for most.
    package var storedAttributes: String? {
        get throws { self.attributes.isEmpty ? nil : try StoredJSON.encode(self.attributes) }
    }
}

/// An endpoint that a caller of the SNS endpoint has deleted, whose subscription stays.
private struct DeletedEndpoint {
    let subscriber: Subscriber

    /// Platform and name of the application.
    let application: String

    /// Reads the column `endpoint`; `nil` for a subscription of another subscriber.
    init?(stored row: StoredRow) throws {
        guard let text = try row.text("endpoint") else { return nil }
        let parts = text.split(separator: "/", maxSplits: 2).map(String.init)
        guard parts.count == 3, let installation = DeviceID(rawValue: parts[2]) else {
            throw StoreError.damaged("subscription")
        }
        self.subscriber = .device(try row.identifier("app_id"), installation)
        self.application = "\(parts[0])/\(parts[1])"
    }
}

extension Subscriber {
    fileprivate init(stored row: StoredRow) throws {
        if let url = try row.text("url") {
            self = .url(url)
        } else if try row.text("user_id") != nil {
            self = .user(try row.identifier("app_id"), try row.identifier("user_id"))
        } else {
            self = .device(try row.identifier("app_id"), try row.identifier("installation"))
        }
    }
}

extension Subscription.State {
    fileprivate static let order: [Self] = [
        .pending, .confirmed(isAuthenticated: false), .confirmed(isAuthenticated: true),
    ]

    package var stored: Int { Self.order.firstIndex(of: self) ?? 0 }
}

extension SubscriptionFilter {
    /// Reads the columns `scope` and `policy` of the table `topic_policies`, under other names in a join.
    package init(stored row: StoredRow, scope: String = "scope", policy: String = "policy") throws {
        guard let scope = Scope(rawValue: try row.string(scope)) else { throw StoreError.damaged("filter policy") }
        self.init(policy: try row.string(policy), scope: scope)
    }
}
