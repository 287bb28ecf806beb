// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The ARN of a subscription: that of its topic, a colon, and its id.
public struct SubscriptionARN: Hashable, Sendable, CustomStringConvertible {
    /// The topic.
    public let topic: TopicARN
    /// The subscription's id: a UUID where SNS made it.
    public let id: String

    /// The ARN of a subscription; `nil` unless the id is 1...64 letters, digits, `_` and `-`.
    public init?(topic: TopicARN, id: String) {
        guard ResourceName.isIdentifier(id) else { return nil }
        self.topic = topic
        self.id = id
    }

    /// Reads an ARN.
    ///
    /// - Parameters:
    ///   - text: the ARN.
    ///   - region: the region of the call; `nil` for calls that are not signed.
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(_ text: String, region: String?) throws(SNSError) {
        let parameter = "SubscriptionArn"
        guard !text.isEmpty else { throw .invalidParameter(parameter, reason: "no value for required parameter") }
        let arn = try ARN(text, parameter: parameter, region: region)
        let parts = arn.resource.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw .invalidParameter(parts.count == 1 ? "SubscriptionId" : parameter) }
        guard let topic = TopicARN(scope: arn.scope, name: parts[0]) else { throw .invalidParameter(parameter) }
        guard let subscription = SubscriptionARN(topic: topic, id: parts[1]) else {
            throw .invalidParameter("SubscriptionId")
        }
        self = subscription
    }

    /// The ARN as text.
    public var description: String { "\(self.topic):\(self.id)" }
}
