// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// How messages are delivered to URLs: the attribute `DeliveryPolicy` of a topic or of a subscription.
public struct DeliveryPolicy: Hashable, Sendable {
    /// When a delivery that failed is tried again.
    public private(set) var retry = RetryPolicy()
    /// How many deliveries a second a subscriber takes; `nil` for any number.
    public private(set) var maximumPerSecond: Int?
    /// The `Content-Type` of deliveries.
    public private(set) var contentType = "text/plain; charset=UTF-8"
    /// Whether the policies of subscriptions do not count.
    public private(set) var disablesOverrides = false

    private var given: Set<String> = []

    /// What a policy has to be, for an error.
    static let rules =
        "minDelayTarget 1...maxDelayTarget, maxDelayTarget up to 3600, numRetries 0...100 and no fewer than the phases"
        + " together, backoffFunction linear, arithmetic, geometric or exponential, maxReceivesPerSecond from 1"

    /// The policy of SNS.
    public init() {}

    /// Reads the policy of a topic or of a subscription; `nil` for anything else.
    ///
    /// A topic's has the one member `http`, whose members begin with `default`; a subscription's has them bare.
    public init?(json text: String) {
        guard let value = try? JSONValue(json: Array(text.utf8)), case .object(var members) = value else { return nil }
        var prefix = ""
        if let http = members["http"] {
            guard members.count == 1, case .object(let inner) = http else { return nil }
            members = inner
            prefix = "default"
        }
        for (name, member) in members {
            switch name.lowercased().dropFirst(name.hasPrefix(prefix) ? prefix.count : 0) {
            case "healthyretrypolicy":
                if member == .null { continue }
                guard let retry = RetryPolicy(member) else { return nil }
                self.retry = retry
                self.given.insert("retry")
            case "throttlepolicy":
                if member == .null { continue }
                guard case .integer(let rate) = member["maxReceivesPerSecond"], (1...1_000_000).contains(rate) else {
                    return nil
                }
                self.maximumPerSecond = Int(rate)
                self.given.insert("rate")
            case "requestpolicy":
                guard let type = member["headerContentType"] else { continue }
                guard case .string(let text) = type, Self.isContentType(text) else { return nil }
                self.contentType = text
                self.given.insert("type")
            case "disablesubscriptionoverrides":
                guard case .bool(let flag) = member, !prefix.isEmpty else { return nil }
                self.disablesOverrides = flag
            case "sicklyretrypolicy", "guaranteed": continue
            default: return nil
            }
        }
    }

    /// This policy of a topic with what a subscription has of its own.
    public func overridden(by subscription: DeliveryPolicy?) -> DeliveryPolicy {
        guard let subscription, !self.disablesOverrides else { return self }
        var policy = self
        if subscription.given.contains("retry") { policy.retry = subscription.retry }
        if subscription.given.contains("rate") { policy.maximumPerSecond = subscription.maximumPerSecond }
        if subscription.given.contains("type") { policy.contentType = subscription.contentType }
        return policy
    }

    /// The effective policy in the form of topics.
    var topicJSON: String {
        self.json { writer in
            writer.key("http")
            writer.beginObject()
            self.write(into: &writer, named: ("defaultHealthyRetryPolicy", "defaultThrottlePolicy")) { writer in
                writer.key("disableSubscriptionOverrides")
                writer.bool(self.disablesOverrides)
            }
            writer.key("defaultRequestPolicy")
            writer.object([("headerContentType", self.contentType)])
            writer.endObject()
        }
    }

    /// The effective policy in the form of subscriptions.
    var subscriptionJSON: String {
        self.json { writer in
            self.write(into: &writer, named: ("healthyRetryPolicy", "throttlePolicy")) { _ in }
            writer.key("requestPolicy")
            writer.object([("headerContentType", self.contentType)])
        }
    }

    private func json(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        body(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(
        into writer: inout JSONWriter,
        named names: (retry: String, rate: String),
        between: (inout JSONWriter) -> Void
    ) {
        writer.key(names.retry)
        self.retry.write(into: &writer)
        between(&writer)
        guard let rate = self.maximumPerSecond else { return }
        writer.key(names.rate)
        writer.beginObject()
        writer.key("maxReceivesPerSecond")
        writer.integer(rate)
        writer.endObject()
    }

    private static func isContentType(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.contains("/") && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
