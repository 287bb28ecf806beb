// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// A message to an HTTP subscription: a notification, or the request to confirm the subscription.
package struct DeliveryDocument: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A message of the topic.
        case notification(subscription: SubscriptionARN, unsubscribeURL: String)
        /// Asks whether the URL is to be subscribed.
        case subscriptionConfirmation(token: String, subscribeURL: String)
        /// Says that the subscription was removed, and how to take that back.
        case unsubscribeConfirmation(subscription: SubscriptionARN, token: String, subscribeURL: String)
    }

    package let kind: Kind
    package let topic: TopicARN
    /// The message's id, a UUID.
    package let messageID: String
    /// When it was published, in milliseconds since 1970.
    package let publishedAt: Int64
    package let message: String
    package let subject: String?
    package let attributes: [String: MessageAttribute]

    /// A message for a subscription.
    ///
    /// A structured message can have its own text for `protocolName`: `http` or `https`. `unsubscribeURL` ends the
    /// subscription without a signature.
    package init(
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
    /// `removed` is the subscription that was removed; `nil` if a subscription is to be made. A `GET` of `subscribeURL`
    /// confirms.
    package init(
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
    package var type: String {
        switch self.kind {
        case .notification: "Notification"
        case .subscriptionConfirmation: "SubscriptionConfirmation"
        case .unsubscribeConfirmation: "UnsubscribeConfirmation"
        }
    }

    /// The time as the document writes it: `2012-05-02T00:54:06.655Z`.
    var timestamp: String { SNSTimestamp.text(milliseconds: self.publishedAt) }

    /// The signed text: names and values, each followed by a line feed, in the order of the names.
    package var stringToSign: String {
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

/// A request to a URL: headers and a body.
package struct DeliveryRequest: Hashable, Sendable {
    /// The header fields, in order.
    package let headers: [SNSAttribute]
    /// The body in UTF-8.
    package let body: [UInt8]
}

extension DeliveryDocument {
    static let userAgent = "Amazon Simple Notification Service Agent"

    /// The request, signed, with the document as its body.
    ///
    /// - Throws: ``SNSError`` `InternalError` when signing fails.
    package func request(
        signedBy identity: SigningIdentity,
        version: SigningIdentity.SignatureVersion,
        policy: DeliveryPolicy
    ) throws(SNSError) -> DeliveryRequest {
        let signature = try identity.signature(of: self.stringToSign, version: version)
        var writer = JSONWriter()
        writer.beginObject()
        writer.members([("Type", self.type), ("MessageId", self.messageID)])
        switch self.kind {
        case .notification: break
        case .subscriptionConfirmation(let token, _), .unsubscribeConfirmation(_, let token, _):
            writer.members([("Token", token)])
        }
        writer.members([("TopicArn", self.topic.description)])
        if let subject = self.subject { writer.members([("Subject", subject)]) }
        writer.members([("Message", self.message)])
        switch self.kind {
        case .notification: break
        case .subscriptionConfirmation(_, let url), .unsubscribeConfirmation(_, _, let url):
            writer.members([("SubscribeURL", url)])
        }
        writer.members([
            ("Timestamp", self.timestamp), ("SignatureVersion", version.rawValue), ("Signature", signature),
            ("SigningCertURL", identity.certificateURL),
        ])
        if case .notification(_, let url) = self.kind { writer.members([("UnsubscribeURL", url)]) }
        if !self.attributes.isEmpty { self.writeAttributes(into: &writer) }
        writer.endObject()
        return DeliveryRequest(headers: self.headers(policy, isRaw: false), body: writer.bytes)
    }

    /// The request with nothing but the message's text as its body; confirmations are never raw.
    package func rawRequest(policy: DeliveryPolicy) -> DeliveryRequest {
        DeliveryRequest(headers: self.headers(policy, isRaw: true), body: Array(self.message.utf8))
    }

    private func headers(_ policy: DeliveryPolicy, isRaw: Bool) -> [SNSAttribute] {
        var headers = [
            SNSAttribute(name: "x-amz-sns-message-type", value: self.type),
            SNSAttribute(name: "x-amz-sns-message-id", value: self.messageID),
            SNSAttribute(name: "x-amz-sns-topic-arn", value: self.topic.description),
        ]
        switch self.kind {
        case .subscriptionConfirmation: break
        case .notification(let subscription, _), .unsubscribeConfirmation(let subscription, _, _):
            headers.append(SNSAttribute(name: "x-amz-sns-subscription-arn", value: subscription.description))
        }
        if isRaw { headers.append(SNSAttribute(name: "x-amz-sns-rawdelivery", value: "true")) }
        headers.append(SNSAttribute(name: "Content-Type", value: policy.contentType))
        headers.append(SNSAttribute(name: "User-Agent", value: Self.userAgent))
        return headers
    }

    private func writeAttributes(into writer: inout JSONWriter) {
        writer.key("MessageAttributes")
        writer.beginObject()
        for (name, attribute) in self.attributes.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            let value: String
            switch attribute.value {
            case .text(let text): value = text
            case .binary(let bytes): value = Data(bytes).base64EncodedString()
            }
            writer.object([("Type", attribute.dataType), ("Value", value)])
        }
        writer.endObject()
    }
}

/// Times in documents: `2012-05-02T00:54:06.655Z`.
enum SNSTimestamp {
    /// The text of a time in milliseconds since 1970, from the year 1970 to 9999.
    static func text(milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = Array(AmzDate(seconds: seconds).description)
        let date = "\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
        let time = "\(String(digits[9..<11])):\(String(digits[11..<13])):\(String(digits[13..<15]))"
        return "\(date)T\(time).\(String(String(rest + 1000).dropFirst()))Z"
    }
}
