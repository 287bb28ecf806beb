// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SNSProtocol
import Topics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The operations on subscriptions.
struct SNSSubscriptionDesk: Sendable {
    let directory: SNSDirectory
    let tokens: ConfirmationTokens
    let account: String
    let limits: SNSLimits
    let pages: SNSPages
    let now: @Sendable () -> Date

    var store: any PushStore { self.directory.store }

    /// `Subscribe`, which finds the subscription where there is one that agrees.
    func subscribe(_ request: SubscribeRequest, _ caller: SNSCaller) async throws -> SNSResult {
        let topic = try await self.store.topic(of: request.topic, caller)
        guard case .endpoint(let endpoint) = request.target else {
            return try await self.subscribe(request.target.text, request, to: topic, caller)
        }
        let unknown = SubscriptionTarget.unknownEndpoint(endpoint)
        guard let (application, device) = try await self.directory.endpoint(endpoint, for: .subscribe, caller) else {
            throw unknown
        }
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        var draft = Subscription(
            id: SubscriptionID(now: now),
            topic: topic.name,
            subscriber: .device(application.app, device.installation),
            createdAt: now
        )
        draft.set(request.settings, application: application.name)
        switch try await self.store.subscribe(draft, policyLimit: self.policyLimit) {
        case .created(let subscription): return .subscribed(try Self.arn(subscription, caller))
        case .existing(let subscription):
            try subscription.settings.checkAgreement(with: request.settings)
            return .subscribed(try Self.arn(subscription, caller))
        case .noTopic: throw TopicDescription.notFound
        case .noSubscriber: throw unknown
        case .tooManyPolicies: throw Self.tooManyPolicies
        case .tooManyURLs: throw Self.tooManyURLs
        }
    }

    /// `Unsubscribe`, which is done as well when there is no such subscription.
    func unsubscribe(_ arn: SubscriptionARN, _ caller: SNSCaller) async throws -> SNSResult {
        if let subscription = try await self.subscription(arn, caller) {
            try await self.store.unsubscribe(subscription.id)
        }
        return .done(.unsubscribe)
    }

    /// `GetSubscriptionAttributes`.
    func attributes(_ arn: SubscriptionARN, _ caller: SNSCaller) async throws -> SNSResult {
        guard let subscription = try await self.subscription(arn, caller) else {
            throw SubscriptionDescription.notFound
        }
        let topic = try await self.store.topic(of: arn.topic, caller)
        let policy = TopicSettings(stored: topic.attributes).deliveryPolicy
        let described = try await SNSSubscribers(self.directory, caller).description(of: subscription, policy: policy)
        guard let described else { throw SubscriptionDescription.notFound }
        return .attributes(.getSubscriptionAttributes, described.attributes)
    }

    /// `SetSubscriptionAttributes`.
    func set(_ attribute: SNSAttribute, of arn: SubscriptionARN, _ caller: SNSCaller) async throws -> SNSResult {
        guard let known = try await self.subscription(arn, caller),
            let target = try await SNSSubscribers(self.directory, caller).target(of: known)
        else { throw SubscriptionDescription.notFound }
        let limits = self.limits
        do {
            let changed = try await self.store.changeSubscription(known.id, policyLimit: self.policyLimit) {
                var settings = $0.settings
                try settings.set(attribute, target: target, limits: limits)
                $0.set(settings)
            }
            guard changed != nil else { throw SubscriptionDescription.notFound }
        } catch is TooManyPolicies {
            throw Self.tooManyPolicies
        }
        return .done(.setSubscriptionAttributes)
    }

    /// `ListSubscriptions`.
    func list(after token: String?, _ caller: SNSCaller) async throws -> SNSResult {
        let list = SNSAction.listSubscriptions.rawValue
        let (subscriptions, next) = try await self.page(of: nil, after: token, named: list, caller)
        return .subscriptions(subscriptions, nextToken: next)
    }

    /// `ListSubscriptionsByTopic`.
    func list(_ arn: TopicARN, after token: String?, _ caller: SNSCaller) async throws -> SNSResult {
        let topic = try await self.store.topic(of: arn, caller)
        let list = "\(SNSAction.listSubscriptionsByTopic.rawValue) \(arn)"
        let (subscriptions, next) = try await self.page(of: topic.name, after: token, named: list, caller)
        return .subscriptionsByTopic(subscriptions, nextToken: next)
    }

    /// A page of what SNS has a name for: users, whom other callers may have subscribed, are none of its subscribers.
    private func page(
        of topic: TopicName?,
        after token: String?,
        named list: String,
        _ caller: SNSCaller
    ) async throws -> ([SubscriptionDescription], nextToken: String?) {
        let cursor = try self.pages.place(token, of: list) { SubscriptionID($0) }
        let page = try await self.store.subscriptions(
            to: topic,
            of: caller.key.app,
            after: cursor,
            limit: self.pages.size
        )
        let subscribers = SNSSubscribers(self.directory, caller)
        var subscriptions: [SubscriptionDescription] = []
        for subscription in page.elements {
            let description = try await subscribers.description(of: subscription, policy: DeliveryPolicy())
            if let description { subscriptions.append(description) }
        }
        return (subscriptions, page.next.map { self.pages.token($0.description, of: list) })
    }

    /// The subscription of an ARN, if the caller sees it.
    private func subscription(_ arn: SubscriptionARN, _ caller: SNSCaller) async throws -> Subscription? {
        guard arn.topic.scope == caller.scope, let id = SubscriptionID(arn.id),
            let subscription = try await self.store.subscription(id), subscription.topic.rawValue == arn.topic.name,
            caller.key.app == nil || caller.key.app == subscription.subscriber.app
        else { return nil }
        return subscription
    }

    var policyLimit: Int { min(self.limits.filterPolicies, PushTopic.maximumPolicies) }

    static let tooManyPolicies = SNSError(
        .filterPolicyLimitExceeded,
        "Filter policy limit exceeded for this topic"
    )

    static let tooManyURLs = SNSError(.subscriptionLimitExceeded, "Subscription limit exceeded for this topic")

    static func arn(_ subscription: Subscription, _ caller: SNSCaller) throws(SNSError) -> SubscriptionARN {
        guard let topic = TopicARN(scope: caller.scope, name: subscription.topic.rawValue),
            let arn = SubscriptionARN(topic: topic, id: subscription.id.description)
        else { throw SNSError(.internalError, "A subscription of the store has no name that SNS allows.") }
        return arn
    }
}
