// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is posted to a URL: headers and a body.
public struct DeliveryRequest: Hashable, Sendable {
    /// The header fields, in order.
    public let headers: [SNSAttribute]
    /// The body in UTF-8.
    public let body: [UInt8]
}

extension DeliveryDocument {
    /// The value of `User-Agent` of every delivery.
    static let userAgent = "Amazon Simple Notification Service Agent"

    /// The request, signed, with the document as its body.
    ///
    /// - Parameters:
    ///   - identity: what signs.
    ///   - version: the version of the signature.
    ///   - policy: says the `Content-Type`.
    /// - Returns: headers and body.
    /// - Throws: ``SNSError`` `InternalError` when signing fails.
    public func request(
        signedBy identity: DeliveryIdentity,
        version: DeliveryIdentity.SignatureVersion,
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
    public func rawRequest(policy: DeliveryPolicy) -> DeliveryRequest {
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
