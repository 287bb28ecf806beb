// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What subscribers by URL are posted: a notification, or the request to confirm that they want to be.
public struct DeliveryDocument: Hashable, Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        /// A message of the topic.
        case notification(subscription: SubscriptionARN, unsubscribeURL: String)
        /// Asks whether the URL is to be subscribed.
        case subscriptionConfirmation(token: String, subscribeURL: String)
        /// Says that the subscription was removed, and how to take that back.
        case unsubscribeConfirmation(subscription: SubscriptionARN, token: String, subscribeURL: String)
    }

    /// What it is.
    public let kind: Kind
    /// The topic.
    public let topic: TopicARN
    /// The message's id, a UUID.
    public let messageID: String
    /// When it was published, in milliseconds since 1970.
    public let publishedAt: Int64
    /// The text.
    public let message: String
    /// The subject.
    public let subject: String?
    /// The attributes.
    public let attributes: [String: MessageAttribute]

    /// A message for a subscription.
    ///
    /// - Parameters:
    ///   - message: what was published.
    ///   - subscription: for whom.
    ///   - protocolName: `http` or `https`, whose own text a structured message may have.
    ///   - messageID: a UUID.
    ///   - publishedAt: milliseconds since 1970.
    ///   - unsubscribeURL: where the subscription is ended without a signature.
    public init(
        _ message: SNSMessage,
        subscription: SubscriptionARN,
        protocolName: String,
        messageID: String,
        publishedAt: Int64,
        unsubscribeURL: String
    ) {
        self.kind = .notification(subscription: subscription, unsubscribeURL: unsubscribeURL)
        self.topic = subscription.topic
        self.messageID = messageID
        self.publishedAt = publishedAt
        self.message = message.text(forProtocol: protocolName) ?? message.text
        self.subject = message.subject
        self.attributes = message.attributes
    }

    /// A request for confirmation.
    ///
    /// - Parameters:
    ///   - topic: the topic.
    ///   - removed: the subscription that was removed; `nil` when one is to be made.
    ///   - token: what confirms it.
    ///   - subscribeURL: where a `GET` confirms it.
    ///   - messageID: a UUID.
    ///   - publishedAt: milliseconds since 1970.
    public init(
        confirming topic: TopicARN,
        removed: SubscriptionARN? = nil,
        token: String,
        subscribeURL: String,
        messageID: String,
        publishedAt: Int64
    ) {
        self.topic = topic
        self.messageID = messageID
        self.publishedAt = publishedAt
        self.subject = nil
        self.attributes = [:]
        if let removed {
            self.kind = .unsubscribeConfirmation(subscription: removed, token: token, subscribeURL: subscribeURL)
            self.message =
                "You have chosen to deactivate subscription \(removed).\nTo cancel this operation and restore the"
                + " subscription, visit the SubscribeURL included in this message."
        } else {
            self.kind = .subscriptionConfirmation(token: token, subscribeURL: subscribeURL)
            self.message =
                "You have chosen to subscribe to the topic \(topic).\nTo confirm the subscription, visit the"
                + " SubscribeURL included in this message."
        }
    }

    /// The value of `Type` and of the header `x-amz-sns-message-type`.
    public var type: String {
        switch self.kind {
        case .notification: "Notification"
        case .subscriptionConfirmation: "SubscriptionConfirmation"
        case .unsubscribeConfirmation: "UnsubscribeConfirmation"
        }
    }

    /// The time as the document writes it: `2012-05-02T00:54:06.655Z`.
    var timestamp: String { DocumentTime.text(milliseconds: self.publishedAt) }

    /// What is signed: names and values, each with a line end behind it, in the order of the names.
    public var stringToSign: String {
        var lines = [("Message", self.message), ("MessageId", self.messageID)]
        switch self.kind {
        case .notification:
            if let subject = self.subject { lines.append(("Subject", subject)) }
            lines.append(("Timestamp", self.timestamp))
        case .subscriptionConfirmation(let token, let url), .unsubscribeConfirmation(_, let token, let url):
            lines += [("SubscribeURL", url), ("Timestamp", self.timestamp), ("Token", token)]
        }
        lines += [("TopicArn", self.topic.description), ("Type", self.type)]
        return lines.map { "\($0.0)\n\($0.1)\n" }.joined()
    }
}
