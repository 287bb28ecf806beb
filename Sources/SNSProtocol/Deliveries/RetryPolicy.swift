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

/// When a delivery to a URL that failed is tried again.
///
/// Four phases follow one another: at once, after the shortest delay, after growing delays, after the longest delay.
public struct RetryPolicy: Hashable, Sendable {
    /// How delays grow from the shortest to the longest.
    public enum Backoff: String, Hashable, Sendable, CaseIterable {
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
    public private(set) var minimumDelay = 20
    /// The longest delay in seconds, up to 3600; default 20.
    public private(set) var maximumDelay = 20
    /// How often a delivery is repeated, 0...100; default 3.
    public private(set) var retries = 3
    /// How many of these come at once; default 0.
    public private(set) var immediateRetries = 0
    /// How many of these come after the shortest delay, before delays grow; default 0.
    public private(set) var minimumDelayRetries = 0
    /// How many of these come after the longest delay, in the end; default 0.
    public private(set) var maximumDelayRetries = 0
    /// How delays grow; default linear.
    public private(set) var backoff = Backoff.linear

    /// The policy of SNS: 3 repetitions, 20 seconds apart.
    public init() {}

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
    public func delay(beforeRetry number: Int) -> Int? {
        guard (1...max(1, self.retries)).contains(number), self.retries > 0 else { return nil }
        if number <= self.immediateRetries { return 0 }
        let place = number - self.immediateRetries - self.minimumDelayRetries
        if place <= 0 { return self.minimumDelay }
        let steps = self.retries - self.immediateRetries - self.minimumDelayRetries - self.maximumDelayRetries
        if place > steps { return self.maximumDelay }
        // From the shortest delay at the first of these repetitions to the longest at the last.
        guard steps > 1 else { return self.minimumDelay }
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

    /// The object.
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
