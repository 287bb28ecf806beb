// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import SNSProtocol
import Topics
import Webhooks
import Work

/// Posts a few claimed deliveries of one subscription concurrently.
///
/// After an error the deliveries stay leased until the lease expires.
struct TopicDeliveryProcessor: LeasedItem {
    static let kind = "topic deliveries"

    private struct Rules {
        let subscription: Subscription
        let place: HTTPSubscription
        let receiver: HTTPSubscriberURL
        let policy: DeliveryPolicy
        let version: SigningIdentity.SignatureVersion
        let isRaw: Bool
        let identity: SigningIdentity
    }

    let deliveries: [TopicDelivery]
    let context: TopicHTTPDeliveryService

    var logger: Logger { self.context.logger }

    var logMetadata: Logger.Metadata {
        self.deliveries.first.map { ["subscription": "\($0.subscriptionID)"] } ?? [:]
    }

    func run() async {
        for delivery in self.deliveries { DebugTrap.check(.topicDelivery, "\(delivery.subscriptionID)") }
        await self.processing { _ in
            guard let rules = try await self.rules() else {
                for delivery in self.deliveries { await self.settle(delivery, as: .done, .unsubscribed) }
                return
            }
            let line = WebhookHTTPClient(to: rules.receiver.url, by: self.context.sender)
            let pause = rules.policy.maximumPerSecond.map { Duration.seconds(self.deliveries.count) / $0 }
            await withDiscardingTaskGroup { group in
                for delivery in self.deliveries {
                    group.addTask { await self.post(delivery, by: rules, over: line, pause: pause) }
                }
            }
            await line.close()
        }
    }

    /// Returns the rules of the subscription; `nil` if nothing is delivered to it.
    private func rules() async throws -> Rules? {
        guard let subscription = self.deliveries.first?.subscription, let place = HTTPSubscription(subscription),
            let receiver = try HTTPSubscriberURL(of: subscription, openedBy: self.context.masterKey),
            let topic = try await self.context.store.topic(subscription.topic, of: nil)
        else { return nil }
        let settings = TopicSettings(stored: topic.attributes)
        let own = SubscriptionSettings(stored: subscription.attributes)
        return Rules(
            subscription: subscription,
            place: place,
            receiver: receiver,
            policy: settings.deliveryPolicy.overridden(by: own.deliveryPolicy),
            version: settings.signatureVersion,
            isRaw: own.isRaw,
            identity: try await self.context.signer.identity().served(at: place.certificates)
        )
    }

    private func post(_ delivery: TopicDelivery, by rules: Rules, over line: WebhookHTTPClient, pause: Duration?) async
    {
        guard let request = self.request(delivery, by: rules) else {
            return await self.settle(delivery, as: .done, .unsubscribed)
        }
        let answer = await line.post { try request().post(authorization: rules.receiver.authorization) }
        answer.count(as: "apus_topics_requests_total", in: self.context.metrics)
        // Its lease keeps others from posting more to this subscription than its policy says.
        if let pause, pause > answer.duration { try? await self.context.clock.sleep(for: pause - answer.duration) }
        if answer.isSuccess { return await self.settle(delivery, as: .done, .delivered) }
        let delay = answer.isWorthRepeating ? rules.policy.retry.delay(beforeRetry: delivery.attemptNumber) : nil
        self.log(answer, of: delivery, rules, isLast: delay == nil)
        guard let delay else { return await self.settle(delivery, as: .done, .failed) }
        await self.settle(delivery, as: .again(at: self.context.now().addingTimeInterval(Double(delay))), .retried)
    }

    /// Creates the request; `nil` if the subscription no longer receives it.
    private func request(_ delivery: TopicDelivery, by rules: Rules) -> (@Sendable () throws -> DeliveryRequest)? {
        let message = delivery.message
        let published = message.createdAt.millisecondsSince1970
        switch HTTPSubscriptionMessage(content: message.content) {
        case .confirmation?:
            // One whose master key is gone would confirm nothing.
            guard !rules.subscription.isConfirmed,
                let token = self.context.tokens.token(confirming: rules.subscription)
            else { return nil }
            let document = DeliveryDocument(
                confirming: rules.place.topic,
                token: token,
                subscribeURL: rules.place.subscribeURL(token: token),
                messageID: message.id.description,
                publishedAt: published
            )
            return { try document.request(signedBy: rules.identity, version: rules.version, policy: rules.policy) }
        case .notification(let content)?:
            guard rules.subscription.isConfirmed, let arn = rules.place.arn(of: rules.subscription.id) else {
                return nil
            }
            let document = DeliveryDocument(
                content,
                subscription: arn,
                protocolName: rules.receiver.url.isSecure ? "https" : "http",
                messageID: message.id.description,
                publishedAt: published,
                unsubscribeURL: rules.place.unsubscribeURL(of: rules.subscription.id)
            )
            if rules.isRaw { return { document.rawRequest(policy: rules.policy) } }
            return { try document.request(signedBy: rules.identity, version: rules.version, policy: rules.policy) }
        case nil:
            self.context.logger.error(
                "Skipped a corrupt message of a topic",
                metadata: ["topic": "\(message.topic)", "topic.message": "\(message.id)"]
            )
            return nil
        }
    }

    private func settle(
        _ delivery: TopicDelivery,
        as end: TopicDeliveryResult,
        _ counted: TopicHTTPDeliveryService.Result
    ) async {
        await self.processing { _ in
            let worker = self.context.configuration.worker
            try await self.context.store.settleDelivery(delivery.id, worker: worker, as: end)
            self.context.count(counted)
        }
    }

    private func log(_ answer: WebhookAttemptResult, of delivery: TopicDelivery, _ rules: Rules, isLast: Bool) {
        self.context.logger.log(
            level: isLast ? .warning : .notice,
            isLast ? "Delivery to an HTTP subscription failed" : "Delivery to an HTTP subscription failed; retrying",
            metadata: [
                "topic": "\(delivery.message.topic)", "subscription": "\(delivery.subscriptionID)",
                "topic.message": "\(delivery.message.id)", "topic.attempts": "\(delivery.attemptNumber)",
                "topic.host": "\(rules.receiver.url.host)",
                "topic.answer": "\(answer.result)",
            ]
        )
    }
}

extension TopicDelivery {
    /// Which attempt this one is, from 1; the stored count may be damaged.
    fileprivate var attemptNumber: Int { self.attempts.addingClamping(1) }
}

extension WebhookAttemptResult {
    /// Whether a retry may succeed: there was no response, or the URL responded with overload or a server error.
    ///
    /// Any other status, including redirections, is a permanent failure, as in SNS.
    fileprivate var isWorthRepeating: Bool {
        guard let status = self.status else { return true }
        return status == 429 || (500..<600).contains(status)
    }
}

extension DeliveryRequest {
    fileprivate func post(authorization: String?) -> HTTPPostRequest {
        var fields = self.headers.map { ($0.name, $0.value) }
        if let authorization { fields.append(("Authorization", authorization)) }
        return HTTPPostRequest(fields: fields, body: self.body)
    }
}
