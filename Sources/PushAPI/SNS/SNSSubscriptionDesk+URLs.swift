// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SNSProtocol
import Topics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Subscriptions of URLs, which are asked whether they want it.
extension SNSSubscriptionDesk {
    /// Subscribes a URL, and has it asked; once more where it has not said yes and nothing is on its way to it.
    func subscribe(
        _ url: String,
        _ request: SubscribeRequest,
        to topic: PushTopic,
        _ caller: SNSCaller
    ) async throws -> SNSResult {
        if let app = caller.key.app {
            throw caller.refusal(
                of: .subscribe,
                because: "a URL belongs to no app, and it may be used for '\(app)' only"
            )
        }
        guard SubscriberURL(url) != nil else {
            throw SNSError.invalidParameter("Endpoint must match the specified protocol")
        }
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let id = SubscriptionID(now: now)
        var draft = Subscription(
            id: id,
            topic: topic.name,
            subscriber: .url(url),
            state: .pending,
            confirmation: ConfirmationTokens.digest(of: self.tokens.token(of: id)),
            createdAt: now
        )
        draft.set(request.settings)
        URLSubscription(topic: request.topic, server: caller.server).write(to: &draft)
        let subscription: Subscription
        switch try await self.store.subscribe(draft, policyLimit: self.policyLimit) {
        case .created(let made): subscription = made
        case .existing(let known):
            try known.settings.checkAgreement(with: request.settings)
            subscription = known
        case .noTopic, .noSubscriber: throw TopicDescription.notFound
        case .tooManyPolicies: throw Self.tooManyPolicies
        case .tooManyURLs: throw Self.tooManyURLs
        }
        if !subscription.isConfirmed {
            let message = TopicMessage(
                id: SubscriptionID(now: now).value,
                topic: topic.name,
                content: try URLMessage.confirmation.content,
                createdAt: now
            )
            try await self.store.enqueue(message, about: subscription.id, to: url, now: now)
        }
        let isTold = subscription.isConfirmed || request.returnsSubscriptionARN
        return .subscribed(isTold ? try Self.arn(subscription, caller) : nil)
    }

    /// `ConfirmSubscription`, by whoever has the token.
    ///
    /// - Parameters:
    ///   - request: topic and token.
    ///   - caller: who has signed; `nil` for nobody.
    /// - Returns: the ARN of the subscription.
    /// - Throws: `SNSError` `InvalidParameter` for a token that confirms nothing, `MissingAuthenticationToken` where nobody
    ///   has signed that unsubscribing shall need a signature; `StoreError`.
    func confirm(_ request: ConfirmSubscriptionRequest, _ caller: SNSCaller?) async throws -> SNSResult {
        guard caller != nil || !request.authenticatesOnUnsubscribe else { throw SignatureVerifier.unsigned }
        let digest = ConfirmationTokens.digest(of: request.token)
        guard ConfirmationTokens.isToken(request.token), request.topic.scope.account == self.account,
            let name = request.topic.modelName,
            let confirmed = try await self.store.confirmSubscription(
                to: name,
                token: digest,
                isAuthenticated: caller != nil
            ), let place = URLSubscription(confirmed), let arn = place.arn(of: confirmed.id)
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

    /// `Unsubscribe` by the link in a message: its ARN is known to nobody but those who got the message or may list it.
    func unsubscribe(unsigned arn: SubscriptionARN) async throws -> SNSResult {
        guard let id = SubscriptionID(arn.id), let subscription = try await self.store.subscription(id) else {
            return .done(.unsubscribe)
        }
        guard let place = URLSubscription(subscription), place.topic == arn.topic, !place.authenticatesOnUnsubscribe
        else {
            throw SignatureVerifier.unsigned
        }
        try await self.store.unsubscribe(id)
        return .done(.unsubscribe)
    }
}
