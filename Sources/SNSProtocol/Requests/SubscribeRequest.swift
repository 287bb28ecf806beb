// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `Subscribe`.
public struct SubscribeRequest: Hashable, Sendable {
    /// The topic.
    public let topic: TopicARN
    /// Where the subscription leads.
    public let target: SubscriptionTarget
    /// Its attributes.
    public let settings: SubscriptionSettings
    /// Whether the ARN is answered even while the subscription is not confirmed.
    public let returnsSubscriptionARN: Bool

    init(_ reader: inout ParameterReader, in context: SNSCall.Context) throws(SNSError) {
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
