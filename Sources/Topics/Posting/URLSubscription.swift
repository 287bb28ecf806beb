// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import SNSProtocol

/// What is known of a subscription that leads to a URL, beside what SNS lets callers set: by what ARN the topic was subscribed
/// to, where this server is reached from outside, and who may end it.
public struct URLSubscription: Hashable, Sendable {
    /// What stands before the names of attributes that are none of SNS's.
    public static let prefix = "apus."

    private static let topic = "apus.topic"
    private static let server = "apus.server"
    private static let authentication = "apus.authenticateOnUnsubscribe"

    /// The topic, as whoever subscribed to it named it.
    public var topic: TopicARN

    /// Where the SNS endpoint is reached from outside: `https://push.example.com/`, with its path.
    public var server: String

    /// Whether only signed requests end it.
    public var authenticatesOnUnsubscribe: Bool

    /// Describes a subscription.
    public init(topic: TopicARN, server: String, authenticatesOnUnsubscribe: Bool = false) {
        self.topic = topic
        self.server = server
        self.authenticatesOnUnsubscribe = authenticatesOnUnsubscribe
    }

    /// Reads it of a stored subscription; `nil` for one that leads to no URL.
    public init?(_ subscription: Subscription) {
        guard case .url = subscription.subscriber, let text = subscription.attributes[Self.topic],
            let topic = try? TopicARN(text, region: nil), let server = subscription.attributes[Self.server]
        else { return nil }
        self.init(
            topic: topic,
            server: server,
            authenticatesOnUnsubscribe: subscription.attributes[Self.authentication] == "true"
        )
    }

    /// Writes it into a subscription.
    public func write(to subscription: inout Subscription) {
        subscription.attributes[Self.topic] = self.topic.description
        subscription.attributes[Self.server] = self.server
        subscription.attributes[Self.authentication] = self.authenticatesOnUnsubscribe ? "true" : nil
    }

    /// The ARN of a subscription to the topic.
    public func arn(of id: SubscriptionID) -> SubscriptionARN? {
        SubscriptionARN(topic: self.topic, id: id.description)
    }

    /// Where a `GET` confirms the subscription.
    public func subscribeURL(token: String) -> String {
        "\(self.server)?Action=ConfirmSubscription&TopicArn=\(self.topic)&Token=\(token)"
    }

    /// Where a `GET` ends a subscription, unless ``authenticatesOnUnsubscribe``.
    public func unsubscribeURL(of id: SubscriptionID) -> String {
        "\(self.server)?Action=Unsubscribe&SubscriptionArn=\(self.topic):\(id)"
    }

    /// What stands before the name of the certificate that verifies deliveries.
    public var certificates: String { self.server + (self.server.hasSuffix("/") ? "" : "/") + "certificates/" }
}
