// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `ConfirmSubscription`.
public struct ConfirmSubscriptionRequest: Hashable, Sendable {
    /// The topic.
    public let topic: TopicARN
    /// What the subscriber was sent.
    public let token: String
    /// Whether unsubscribing needs a signature from then on.
    public let authenticatesOnUnsubscribe: Bool

    /// What an unknown token is answered.
    public static let unknownToken = SNSError.invalidParameter("Token")

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
    public var description: String { "confirmation of a subscription to \(self.topic)" }
}
