// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `Subscribe`.
package struct SubscribeRequest: Hashable, Sendable {
    package let topic: TopicARN
    package let target: SubscriptionTarget
    package let settings: SubscriptionSettings
    /// Whether the ARN is answered even while the subscription is not confirmed.
    package let returnsSubscriptionARN: Bool

    init(_ reader: inout ParameterReader, in context: SNSQueryRequest.Context) throws(SNSError) {
        let protocolName = reader.required("Protocol")
        let attributes = try reader.map("Attributes") ?? [:]
        self.returnsSubscriptionARN = try reader.flag("ReturnSubscriptionArn") ?? false
        self.topic = try reader.topic(context.region)
        self.target = try SubscriptionTarget(
            protocol: protocolName,
            endpoint: reader.text("Endpoint") ?? "",
            region: context.region
        )
        self.settings = try SubscriptionSettings(attributes, target: self.target, limits: context.limits)
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
    }
}

extension ConfirmSubscriptionRequest: CustomStringConvertible {
    /// The topic; the token is a secret.
    package var description: String { "confirmation of a subscription to \(self.topic)" }
}
