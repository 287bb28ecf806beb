// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation
package import PushModel
package import SNSProtocol

/// The data of an HTTP subscription in addition to the SNS attributes: the ARN of the topic in the request, the public
/// URL of this server, and the caller that may end it.
package struct HTTPSubscription: Hashable, Sendable {
    /// The prefix of attribute names that are not those of SNS.
    package static let prefix = "apus."

    private static let topic = "apus.topic"
    private static let server = "apus.server"
    private static let authentication = "apus.authenticateOnUnsubscribe"

    /// The topic, as the subscribe request named it.
    package var topic: TopicARN

    /// Where the SNS endpoint is reached from outside: `https://push.example.com/`, with its path.
    package var server: String

    /// Whether only signed requests end it.
    package var authenticatesOnUnsubscribe: Bool

    package init(topic: TopicARN, server: String, authenticatesOnUnsubscribe: Bool = false) {
        self.topic = topic
        self.server = server
        self.authenticatesOnUnsubscribe = authenticatesOnUnsubscribe
    }

    /// Reads it of a stored subscription; `nil` for one that leads to no URL.
    package init?(_ subscription: Subscription) {
        guard case .url = subscription.subscriber, let text = subscription.attributes[Self.topic],
            let topic = try? TopicARN(text, region: nil), let server = subscription.attributes[Self.server]
        else { return nil }
        self.init(
            topic: topic,
            server: server,
            authenticatesOnUnsubscribe: subscription.attributes[Self.authentication] == "true"
        )
    }

    package func write(to subscription: inout Subscription) {
        subscription.attributes[Self.topic] = self.topic.description
        subscription.attributes[Self.server] = self.server
        subscription.attributes[Self.authentication] = self.authenticatesOnUnsubscribe ? "true" : nil
    }

    /// The ARN of a subscription to the topic.
    package func arn(of id: SubscriptionID) -> SubscriptionARN? {
        SubscriptionARN(topic: self.topic, id: id.description)
    }

    /// Where a `GET` confirms the subscription.
    package func subscribeURL(token: String) -> String {
        "\(self.server)?Action=ConfirmSubscription&TopicArn=\(self.topic)&Token=\(token)"
    }

    /// Where a `GET` ends a subscription, unless ``authenticatesOnUnsubscribe``.
    package func unsubscribeURL(of id: SubscriptionID) -> String {
        "\(self.server)?Action=Unsubscribe&SubscriptionArn=\(self.topic):\(id)"
    }

    /// The prefix of the URL of the certificate that verifies deliveries.
    package var certificates: String { self.server + (self.server.hasSuffix("/") ? "" : "/") + "certificates/" }
}

/// A URL that is subscribed to a topic, ready to be posted to: user and password apart.
package struct HTTPSubscriberURL: Hashable, Sendable {
    /// The URL without user and password.
    package let url: WebhookURL

    /// User and password as they stood in the URL, percent-encoded; `nil` for a URL without a user.
    package let user: String?

    /// The value of the header `Authorization`; `nil` for a URL without a user.
    package let authorization: String?

    /// Reads the URL of a subscription, and opens its user; `nil` for one that leads to no URL.
    package init?(of subscription: Subscription, openedBy masterKey: MasterKey) throws(MasterKeyError) {
        guard case .url(let text) = subscription.subscriber else { return nil }
        if let user = try masterKey.user(of: subscription) {
            self.init(text, user: user)
        } else {
            self.init(text)
        }
    }

    /// Reads a URL; `nil` for one that is none, or that has a fragment.
    package init?(_ text: String) {
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else {
            self.init(text, user: nil)
            return
        }
        self.init(String(text[..<start] + text[text.index(after: at)...]), user: String(text[start..<at]))
    }

    private init?(_ text: String, user: String?) {
        guard let url = WebhookURL(text) else { return nil }
        self.url = url
        self.user = user
        guard let user else {
            self.authorization = nil
            return
        }
        guard var bytes = Self.decoded(user) else { return nil }
        if !bytes.contains(UInt8(ascii: ":")) { bytes.append(UInt8(ascii: ":")) }
        self.authorization = "Basic " + Data(bytes).base64EncodedString()
    }

    /// The URL as SNS shows it: `****` replaces the password, or the user if there is no password.
    package var shown: String {
        guard let user, let start = self.url.text.firstRange(of: "://")?.upperBound else { return self.url.text }
        let name = user.firstIndex(of: ":").map { user[...$0] } ?? ""
        return "\(self.url.text[..<start])\(name)****@\(self.url.text[start...])"
    }

    /// A text without percent-encoding; `nil` where a sign of percent has no two digits behind it.
    private static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

/// The tokens that confirm HTTP subscriptions.
///
/// A token follows from the subscription's ID and the master key, so no process and no store needs to keep it.
package struct ConfirmationTokens: Sendable {
    private let masterKey: MasterKey

    /// Takes the master key, from which the tokens' own keys are derived.
    package init(_ masterKey: MasterKey) {
        self.masterKey = masterKey
    }

    /// The token of a new subscription: 128 hexadecimal digits.
    package func token(of subscription: SubscriptionID) -> String { self.tokens(of: subscription)[0] }

    /// The token that confirms a subscription of the store; `nil` if its master key is gone.
    package func token(confirming subscription: Subscription) -> String? {
        self.tokens(of: subscription.id).first { Self.digest(of: $0) == subscription.confirmation }
    }

    /// The tokens with all keys of the master key, of which there is at least one.
    private func tokens(of subscription: SubscriptionID) -> [String] {
        self.masterKey.derivedKeys(for: "apus confirmation token").map { key in
            let code = HMAC<SHA512>.authenticationCode(
                for: Data(subscription.description.utf8),
                using: SymmetricKey(data: key)
            )
            return Hex.text(code)
        }
    }

    /// Whether a text has the form of a token: 128 hexadecimal digits, small ones.
    package static func isToken(_ text: String) -> Bool {
        text.utf8.count == 128
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// The stored form of a token: its SHA-256.
    package static func digest(of token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }
}
