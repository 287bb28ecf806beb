// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How messages are delivered to URLs: the attribute `DeliveryPolicy` of a topic or of a subscription.
package struct DeliveryPolicy: Hashable, Sendable {
    package private(set) var retry = RetryPolicy()
    /// How many deliveries a second a subscriber takes; `nil` for any number.
    package private(set) var maximumPerSecond: Int?
    package private(set) var contentType = "text/plain; charset=UTF-8"
    /// Whether the policies of subscriptions do not count.
    package private(set) var disablesOverrides = false

    private var given: Set<String> = []

    /// The rules of a policy, for an error.
    static let rules =
        "minDelayTarget 1...maxDelayTarget, maxDelayTarget up to 3600, numRetries 0...100 and no fewer than the phases"
        + " together, backoffFunction linear, arithmetic, geometric or exponential, maxReceivesPerSecond from 1"

    /// The policy of SNS.
    package init() {}

    /// Reads the policy of a topic or of a subscription; `nil` for anything else.
    ///
    /// A topic's has the one member `http`, whose members begin with `default`; a subscription's has them bare.
    package init?(json text: String) {
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

    /// This policy of a topic, overridden by that of a subscription.
    package func overridden(by subscription: DeliveryPolicy?) -> DeliveryPolicy {
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

    /// The effective policy in the form of subscriptions, with all members that SNS writes.
    var subscriptionJSON: String {
        self.json { writer in
            self.write(into: &writer, named: ("healthyRetryPolicy", "throttlePolicy")) { writer in
                writer.key("sicklyRetryPolicy")
                writer.null()
                guard self.maximumPerSecond == nil else { return }
                writer.key("throttlePolicy")
                writer.null()
            }
            writer.key("requestPolicy")
            writer.object([("headerContentType", self.contentType)])
            writer.key("guaranteed")
            writer.bool(false)
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

/// When a delivery to a URL that failed is tried again.
///
/// Four phases follow one another: at once, after the shortest delay, after growing delays, after the longest delay.
package struct RetryPolicy: Hashable, Sendable {
    /// How delays grow from the shortest to the longest.
    package enum Backoff: String, Hashable, Sendable, CaseIterable {
        /// By the same amount each time.
        case linear
        /// By an amount that grows by the same step each time.
        case arithmetic
        /// By the same factor each time.
        case geometric
        /// By doubling.
        case exponential
    }

    /// The shortest delay in seconds, 1...3600; default 20.
    package private(set) var minimumDelay = 20
    /// The longest delay in seconds, up to 3600; default 20.
    package private(set) var maximumDelay = 20
    /// How often a delivery is repeated, 0...100; default 3.
    package private(set) var retries = 3
    /// How many of these come at once; default 0.
    package private(set) var immediateRetries = 0
    /// How many of these come after the shortest delay, before delays grow; default 0.
    package private(set) var minimumDelayRetries = 0
    /// How many of these come after the longest delay, in the end; default 0.
    package private(set) var maximumDelayRetries = 0
    /// How delays grow; default linear.
    package private(set) var backoff = Backoff.linear

    /// The policy of SNS: 3 repetitions, 20 seconds apart.
    package init() {}

    /// Reads the object; `nil` for unknown names, values out of range, or phases longer than all repetitions.
    init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        for (name, member) in members {
            if name == "backoffFunction" {
                guard case .string(let text) = member, let backoff = Backoff(rawValue: text) else { return nil }
                self.backoff = backoff
                continue
            }
            guard case .integer(let number) = member, (0...3600).contains(number) else { return nil }
            switch name {
            case "minDelayTarget": self.minimumDelay = Int(number)
            case "maxDelayTarget": self.maximumDelay = Int(number)
            case "numRetries": self.retries = Int(number)
            case "numNoDelayRetries": self.immediateRetries = Int(number)
            case "numMinDelayRetries": self.minimumDelayRetries = Int(number)
            case "numMaxDelayRetries": self.maximumDelayRetries = Int(number)
            default: return nil
            }
        }
        if members["maxDelayTarget"] == nil { self.maximumDelay = max(self.maximumDelay, self.minimumDelay) }
        if members["minDelayTarget"] == nil { self.minimumDelay = min(self.maximumDelay, self.minimumDelay) }
        guard self.minimumDelay >= 1, self.minimumDelay <= self.maximumDelay, self.retries <= 100,
            self.immediateRetries + self.minimumDelayRetries + self.maximumDelayRetries <= self.retries
        else { return nil }
    }

    /// How many seconds pass before a repetition, counted from 1; `nil` when there is no such repetition.
    package func delay(beforeRetry number: Int) -> Int? {
        guard (1...max(1, self.retries)).contains(number), self.retries > 0 else { return nil }
        if number <= self.immediateRetries { return 0 }
        let place = number - self.immediateRetries - self.minimumDelayRetries
        if place <= 0 { return self.minimumDelay }
        let steps = self.retries - self.immediateRetries - self.minimumDelayRetries - self.maximumDelayRetries
        if place > steps { return self.maximumDelay }
        // From the shortest delay at the first of these repetitions to the longest at the last.
        guard steps > 1 else { return self.minimumDelay }
        // Cannot trap: a share of at most 3,600 seconds.
        return self.minimumDelay + Int((self.share(place - 1, of: steps - 1) * self.spread).rounded())
    }

    private var spread: Double { Double(self.maximumDelay - self.minimumDelay) }

    /// Which part of the way from the shortest to the longest delay is gone, 0...1.
    private func share(_ step: Int, of last: Int) -> Double {
        let part = Double(step) / Double(last)
        switch self.backoff {
        case .linear: return part
        case .arithmetic: return Double(step * (step + 1)) / Double(last * (last + 1))
        case .geometric:
            let ratio = Double(self.maximumDelay) / Double(self.minimumDelay)
            return ratio > 1 ? (pow(ratio, part) - 1) / (ratio - 1) : part
        case .exponential: return (pow(2, Double(step)) - 1) / (pow(2, Double(last)) - 1)
        }
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        for (name, number) in [
            ("minDelayTarget", self.minimumDelay), ("maxDelayTarget", self.maximumDelay), ("numRetries", self.retries),
            ("numMaxDelayRetries", self.maximumDelayRetries), ("numNoDelayRetries", self.immediateRetries),
            ("numMinDelayRetries", self.minimumDelayRetries),
        ] {
            writer.key(name)
            writer.integer(number)
        }
        writer.members([("backoffFunction", self.backoff.rawValue)])
        writer.endObject()
    }
}
