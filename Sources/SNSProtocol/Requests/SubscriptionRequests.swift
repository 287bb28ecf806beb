// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The parameters of `Subscribe`.
package struct SubscribeRequest: Hashable, Sendable {
    /// The endpoint, and the attributes of its subscription.
    package struct Subscriber: Hashable, Sendable {
        package let target: SubscriptionTarget
        package let settings: SubscriptionSettings
    }

    package let topic: TopicARN
    /// The subscriber, or the error of its parameters: SNS reports an unknown topic first.
    package let subscriber: Result<Subscriber, SNSError>
    /// Whether the ARN is answered even while the subscription is not confirmed.
    package let returnsSubscriptionARN: Bool

    init(_ reader: inout ParameterReader, in context: SNSQueryRequest.Context) throws(SNSError) {
        let protocolName = reader.required("Protocol")
        let attributes = try reader.map("Attributes") ?? [:]
        self.returnsSubscriptionARN = try reader.flag("ReturnSubscriptionArn") ?? false
        self.topic = try reader.topic(context.region)
        let endpoint = reader.text("Endpoint") ?? ""
        self.subscriber = Result { () throws(SNSError) -> Subscriber in
            let target = try SubscriptionTarget(protocol: protocolName, endpoint: endpoint, region: context.region)
            let settings = try SubscriptionSettings(attributes, target: target, limits: context.limits)
            return Subscriber(target: target, settings: settings)
        }
    }
}

/// The parameters of `ConfirmSubscription`.
package struct ConfirmSubscriptionRequest: Hashable, Sendable {
    package let topic: TopicARN
    /// The token that the subscriber received.
    package let token: String
    /// Whether unsubscribing needs a signature from then on.
    package let authenticatesOnUnsubscribe: Bool

    package static let unknownToken = SNSError.invalidParameter("Token")

    /// The error for a text that is no token: tokens are hexadecimal digits.
    static let malformedToken = SNSError(.invalidParameter, "Invalid token")

    init(_ reader: inout ParameterReader, region: String?) throws(SNSError) {
        let text = reader.required("TopicArn")
        self.token = reader.required("Token")
        self.authenticatesOnUnsubscribe = try reader.flag("AuthenticateOnUnsubscribe") ?? false
        try reader.finish()
        do {
            self.topic = try TopicARN(text, region: region)
        } catch {
            throw .invalidParameter("Topic")
        }
        guard !self.token.isEmpty, self.token.utf8.count <= 1024 else { throw Self.unknownToken }
        guard self.token.utf8.allSatisfy({ Hex.nibble($0) != Hex.invalid }) else { throw Self.malformedToken }
    }
}

extension ConfirmSubscriptionRequest: CustomStringConvertible {
    /// The topic; the token is a secret.
    package var description: String { "confirmation of a subscription to \(self.topic)" }
}
