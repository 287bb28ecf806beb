// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel
import PushStore
package import SNSProtocol
import Topics

/// The operations on subscriptions.
struct SNSSubscriptionHandler: Sendable {
    let directory: SNSResourceResolver
    let tokens: ConfirmationTokens
    let account: String

    /// Whether a URL may name an address that is not on the public internet.
    let allowsPrivateNetworks: Bool
    let limits: SNSLimits
    let pages: SNSPagination
    let now: @Sendable () -> Date

    var store: any SubscriptionStore & TopicDeliveryStore & TopicStore { self.directory.store }

    /// `Subscribe`, which finds the subscription where there is one that agrees.
    func subscribe(_ request: SubscribeRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        let topic = try await self.store.topic(of: request.topic, caller)
        let subscriber = try request.subscriber.get()
        guard case .endpoint(let endpoint) = subscriber.target else {
            return try await self.subscribe(subscriber, of: request, to: topic, caller)
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
        draft.set(subscriber.settings, application: application.name)
        switch try await self.store.subscribe(draft, policyLimit: self.policyLimit) {
        case .created(let subscription): return .subscribed(try Self.arn(subscription, caller))
        case .existing(let subscription):
            try subscription.settings.checkAgreement(with: subscriber.settings)
            return .subscribed(try Self.arn(subscription, caller))
        case .noTopic: throw TopicDescription.notFound
        case .noSubscriber: throw unknown
        case .tooManyPolicies: throw Self.tooManyPolicies
        case .tooManyURLs: throw Self.tooManyURLs
        }
    }

    /// `Unsubscribe`, which is done as well when there is no such subscription.
    func unsubscribe(_ arn: SubscriptionARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        if let subscription = try await self.subscription(arn, caller) {
            try await self.store.unsubscribe(subscription.id)
        }
        return .done(.unsubscribe)
    }

    func attributes(_ arn: SubscriptionARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        guard let subscription = try await self.subscription(arn, caller) else {
            throw SubscriptionDescription.notFound
        }
        let topic = try await self.store.topic(of: arn.topic, caller)
        let policy = TopicSettings(stored: topic.attributes).deliveryPolicy
        let described = try await SNSSubscriptionMapper(self.directory, caller).description(
            of: subscription,
            policy: policy
        )
        guard let described else { throw SubscriptionDescription.notFound }
        return .attributes(.getSubscriptionAttributes, described.attributes)
    }

    func set(_ attribute: SNSAttribute, of arn: SubscriptionARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        guard let known = try await self.subscription(arn, caller),
            let target = try await SNSSubscriptionMapper(self.directory, caller).target(of: known)
        else { throw SubscriptionDescription.notFound }
        let limits = self.limits
        do {
            let changed = try await self.store.changeSubscription(known.id, policyLimit: self.policyLimit) {
                var settings = $0.settings
                try settings.set(attribute, target: target, limits: limits)
                $0.set(settings)
            }
            guard changed != nil else { throw SubscriptionDescription.notFound }
        } catch is TooManyPoliciesError {
            throw Self.tooManyPolicies
        }
        return .done(.setSubscriptionAttributes)
    }

    func list(after token: String?, _ caller: SNSPrincipal) async throws -> SNSResult {
        let list = SNSAction.listSubscriptions.rawValue
        let (subscriptions, next) = try await self.page(of: nil, after: token, named: list, caller)
        return .subscriptions(subscriptions, nextToken: next)
    }

    func list(_ arn: TopicARN, after token: String?, _ caller: SNSPrincipal) async throws -> SNSResult {
        let topic = try await self.store.topic(of: arn, caller)
        let list = "\(SNSAction.listSubscriptionsByTopic.rawValue) \(arn)"
        let (subscriptions, next) = try await self.page(of: topic.name, after: token, named: list, caller)
        return .subscriptionsByTopic(subscriptions, nextToken: next)
    }

    /// Returns a page of the subscriptions that SNS supports; those of users, which the API can create, are omitted.
    private func page(
        of topic: TopicName?,
        after token: String?,
        named list: String,
        _ caller: SNSPrincipal
    ) async throws -> ([SubscriptionDescription], nextToken: String?) {
        let cursor = try self.pages.place(token, of: list) { SubscriptionID($0) }
        let page = try await self.store.subscriptions(
            to: topic,
            of: caller.key.app,
            after: cursor,
            limit: self.pages.size
        )
        let subscribers = SNSSubscriptionMapper(self.directory, caller)
        var subscriptions: [SubscriptionDescription] = []
        for subscription in page.elements {
            let description = try await subscribers.description(of: subscription, policy: DeliveryPolicy())
            if let description { subscriptions.append(description) }
        }
        return (subscriptions, page.next.map { self.pages.token($0.description, of: list) })
    }

    /// The subscription of an ARN, if the caller sees it.
    private func subscription(_ arn: SubscriptionARN, _ caller: SNSPrincipal) async throws -> Subscription? {
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

    /// A topic has one subscription for each URL, regardless of its user and password.
    static let otherUser = SNSError.invalidParameter(
        "Endpoint",
        reason: "Subscription already exists with a different user or password; unsubscribe it first"
    )

    static let privateAddress = SNSError.invalidParameter(
        "Endpoint",
        reason: "A private or loopback address, which webhooks.allowPrivateNetworks would allow"
    )

    static let unknownServer = SNSError.invalidParameter(
        "Endpoint",
        reason: "The server does not know its public URL, which messages to subscribers contain. Set sns.url"
    )

    static let tooManyURLs = SNSError(.subscriptionLimitExceeded, "Subscription limit exceeded for this topic")

    static func arn(_ subscription: Subscription, _ caller: SNSPrincipal) throws(SNSError) -> SubscriptionARN {
        guard let topic = TopicARN(scope: caller.scope, name: subscription.topic.rawValue),
            let arn = SubscriptionARN(topic: topic, id: subscription.id.description)
        else { throw SNSError(.internalError, "A subscription of the store has no name that SNS allows.") }
        return arn
    }
}

/// Subscriptions of URLs, which are asked whether they want it.
extension SNSSubscriptionHandler {
    /// Subscribes a URL, and has it asked; once more where it has not said yes and nothing is on its way to it.
    func subscribe(
        _ subscriber: SubscribeRequest.Subscriber,
        of request: SubscribeRequest,
        to topic: PushTopic,
        _ caller: SNSPrincipal
    ) async throws -> SNSResult {
        if let app = caller.key.app {
            throw caller.refusal(
                of: .subscribe,
                because: "a URL belongs to no app, and it may be used for '\(app)' only"
            )
        }
        let url = subscriber.target.text
        guard let receiver = HTTPSubscriberURL(url) else {
            throw SNSError.invalidParameter("Endpoint must match the specified protocol")
        }
        guard self.allowsPrivateNetworks || !receiver.url.hasPrivateAddress else { throw Self.privateAddress }
        guard let server = caller.server else { throw Self.unknownServer }
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let id = SubscriptionID(now: now)
        var draft = Subscription(
            id: id,
            topic: topic.name,
            subscriber: .url(receiver.url.text),
            state: .pending,
            confirmation: ConfirmationTokens.digest(of: self.tokens.token(of: id)),
            sealedUser: receiver.user.map { self.directory.masterKey.seal(user: $0, for: id) },
            createdAt: now
        )
        draft.set(subscriber.settings)
        HTTPSubscription(topic: request.topic, server: server).write(to: &draft)
        var outcome: SubscribeResult
        if receiver.user != nil, let former = try await self.store.subscription(of: .url(url), to: topic.name) {
            // An older version stored it with the user in the URL.
            outcome = .existing(former)
        } else {
            outcome = try await self.store.subscribe(draft, policyLimit: self.policyLimit)
        }
        if case .existing(let known) = outcome, !known.isConfirmed, self.tokens.token(confirming: known) == nil {
            // The master key of its token is gone, so no request for confirmation could be posted.
            try await self.store.unsubscribe(known.id)
            outcome = try await self.store.subscribe(draft, policyLimit: self.policyLimit)
        }
        let subscription: Subscription
        switch outcome {
        case .created(let made): subscription = made
        case .existing(let known):
            try known.settings.checkAgreement(with: subscriber.settings)
            guard (try? HTTPSubscriberURL(of: known, openedBy: self.directory.masterKey)) == receiver else {
                throw Self.otherUser
            }
            subscription = known
        case .noTopic, .noSubscriber: throw TopicDescription.notFound
        case .tooManyPolicies: throw Self.tooManyPolicies
        case .tooManyURLs: throw Self.tooManyURLs
        }
        if !subscription.isConfirmed {
            let message = TopicMessage(
                id: SubscriptionID(now: now).value,
                topic: topic.name,
                content: try HTTPSubscriptionMessage.confirmation.content,
                createdAt: now
            )
            try await self.store.enqueue(message, about: subscription.id, to: receiver.url.text, now: now)
        }
        let isTold = subscription.isConfirmed || request.returnsSubscriptionARN
        return .subscribed(isTold ? try Self.arn(subscription, caller) : nil)
    }

    /// Executes `ConfirmSubscription` for any caller with the token.
    ///
    /// `caller` is `nil` for an unsigned request.
    /// - Returns: the ARN of the subscription.
    /// - Throws: `SNSError` `InvalidParameter` for an invalid token, `MissingAuthenticationToken` if an unsigned
    ///   request wants to require signatures for unsubscribing; `StoreError`.
    func confirm(_ request: ConfirmSubscriptionRequest, _ caller: SNSPrincipal?) async throws -> SNSResult {
        guard caller != nil || !request.authenticatesOnUnsubscribe else { throw SignatureVerifier.unsigned }
        let digest = ConfirmationTokens.digest(of: request.token)
        guard ConfirmationTokens.isToken(request.token), request.topic.scope.account == self.account,
            let name = request.topic.modelName,
            let confirmed = try await self.store.confirmSubscription(
                to: name,
                token: digest,
                isAuthenticated: caller != nil
            ), let place = HTTPSubscription(confirmed), let arn = place.arn(of: confirmed.id)
        else { throw ConfirmSubscriptionRequest.unknownToken }
        if request.authenticatesOnUnsubscribe, !place.authenticatesOnUnsubscribe {
            _ = try await self.store.changeSubscription(confirmed.id, policyLimit: self.policyLimit) { subscription in
                var place = place
                place.authenticatesOnUnsubscribe = true
                place.write(to: &subscription)
            }
        }
        return .confirmed(arn)
    }

    /// Executes `Unsubscribe` by the link in a message: only recipients of messages and callers that may list it know
    /// its ARN.
    func unsubscribe(unsigned arn: SubscriptionARN) async throws -> SNSResult {
        guard let id = SubscriptionID(arn.id), let subscription = try await self.store.subscription(id) else {
            return .done(.unsubscribe)
        }
        guard let place = HTTPSubscription(subscription), place.topic == arn.topic, !place.authenticatesOnUnsubscribe
        else {
            throw SignatureVerifier.unsigned
        }
        try await self.store.unsubscribe(id)
        return .done(.unsubscribe)
    }
}

/// The SNS attributes of a subscription and their stored form: the filter policy separately, all others under their
/// names.
extension Subscription {
    private static let policy = "FilterPolicy"
    private static let scope = "FilterPolicyScope"

    /// The attributes that callers have set.
    var settings: SubscriptionSettings {
        var values = self.attributes.filter { !$0.key.hasPrefix(HTTPSubscription.prefix) }
        if let filter {
            values[Self.policy] = filter.policy
            values[Self.scope] = filter.scope.rawValue
        }
        return SubscriptionSettings(stored: values)
    }

    /// Platform and name of the application with which the device was subscribed, if there was one.
    var application: PlatformApplication.Name? {
        self.attributes[Self.applicationAttribute].flatMap { PlatformApplication.Name($0) }
    }

    /// Applies validated settings; if `name` is `nil`, the application does not change.
    package mutating func set(_ settings: SubscriptionSettings, application name: PlatformApplication.Name? = nil) {
        let own = self.attributes.filter { $0.key.hasPrefix(HTTPSubscription.prefix) }
        self.attributes = settings.values.merging(own) { $1 }
        self.attributes[Self.policy] = nil
        if let name { self.attributes[Self.applicationAttribute] = name.description }
        self.filter = settings.values[Self.policy].map { policy in
            SubscriptionFilter(
                policy: policy,
                scope: settings.scope == .messageBody ? .messageBody : .messageAttributes
            )
        }
    }
}
