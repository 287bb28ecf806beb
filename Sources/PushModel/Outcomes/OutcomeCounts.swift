// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// How many notifications came to what.
public struct OutcomeCounts: Hashable, Sendable, Codable {
    /// How many APNs accepted.
    public var delivered: Int

    /// How many APNs refused, by reason; a reason without any is absent.
    public var rejected: [RejectionReason: Int]

    /// How many had no answer, by code; a code without any is absent.
    public var failed: [FailureCode: Int]

    /// Takes counts as they are; all are zero unless given.
    public init(
        delivered: Int = 0,
        rejected: [RejectionReason: Int] = [:],
        failed: [FailureCode: Int] = [:]
    ) {
        self.delivered = delivered
        self.rejected = rejected
        self.failed = failed
    }

    /// How many have an outcome at all.
    public var total: Int { self.delivered + self.totalRejected + self.totalFailed }

    /// How many APNs refused, for whatever reason.
    public var totalRejected: Int { self.rejected.values.reduce(0, +) }

    /// How many had no answer, for whatever cause.
    public var totalFailed: Int { self.failed.values.reduce(0, +) }

    /// How many came to their outcome by work: all but those that were called off, or expired, which many do at once.
    public var worked: Int { self.total - self.failed[.cancelled, default: 0] - self.failed[.expired, default: 0] }

    /// Counts outcomes of the same kind.
    ///
    /// - Parameters:
    ///   - outcome: the outcome.
    ///   - count: how many had it; zero changes nothing.
    public mutating func add(_ outcome: Outcome, count: Int = 1) {
        guard count > 0 else { return }
        switch outcome {
        case .delivered: self.delivered += count
        case .rejected(let rejection): self.rejected[rejection.reason, default: 0] += count
        case .failed(let code): self.failed[code, default: 0] += count
        }
    }

    /// The sums of two counts.
    public static func + (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts(
            delivered: left.delivered + right.delivered,
            rejected: left.rejected.merging(right.rejected, uniquingKeysWith: +),
            failed: left.failed.merging(right.failed, uniquingKeysWith: +)
        )
    }

    /// Adds counts to these.
    public static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
        left = left + right
    }
}
