// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The outcome of a notification for one target.
public enum Outcome: Hashable, Sendable {
    /// APNs accepted it (200); whether the device showed it is not known to anyone.
    case delivered

    case rejected(Rejection)

    /// APNs gave no answer, or was not asked.
    case failed(FailureCode)
}

extension Outcome {
    /// Whether the same notification to the same token may succeed later, when the cause is gone.
    ///
    /// That is so if neither the token nor the request was the cause: APNs asked for a retry, rejected the credential,
    /// or did not respond, or the notification expired or APNs was unreachable. A cancelled notification stays
    /// cancelled.
    public var isRetryable: Bool {
        switch self {
        case .delivered: false
        case .rejected(let rejection):
            switch rejection.nextStep {
            case .retryNow, .retryLater, .fixCredential: true
            case .never, .pruneToken, .suspectToken, .fixRequest: false
            }
        case .failed(let code): FailureCode.retryable.contains(code)
        }
    }
}

extension FailureCode {
    /// The codes of failures that were not the token's and not the request's fault.
    public static let retryable: Set<FailureCode> = [
        .timeout, .connectionLost, .expired, .noCredential, .invalidCredential, .storeError, .quarantined,
    ]
}

/// The number of notifications by outcome.
public struct OutcomeCounts: Hashable, Sendable, Codable {
    /// How many APNs accepted.
    public var delivered: Int

    /// How many APNs refused, by reason; a reason without any is absent.
    public var rejected: [RejectionReason: Int]

    /// How many had no answer, by code; a code without any is absent.
    public var failed: [FailureCode: Int]

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
    public var total: Int { self.delivered.addingClamping(self.totalRejected).addingClamping(self.totalFailed) }

    public var totalRejected: Int { self.rejected.values.reduce(0) { $0.addingClamping($1) } }

    public var totalFailed: Int { self.failed.values.reduce(0) { $0.addingClamping($1) } }

    /// The outcomes that resulted from sending: all except cancelled and expired ones, which many targets get at once.
    public var worked: Int {
        [FailureCode.cancelled, .expired].reduce(self.total) { $0.subtractingClamping(self.failed[$1, default: 0]) }
    }

    public mutating func add(_ outcome: Outcome, count: Int = 1) {
        guard count > 0 else { return }
        switch outcome {
        case .delivered: self.delivered.add(clamping: count)
        case .rejected(let rejection): self.rejected[rejection.reason, default: 0].add(clamping: count)
        case .failed(let code): self.failed[code, default: 0].add(clamping: count)
        }
    }

    public static func + (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts(
            delivered: left.delivered.addingClamping(right.delivered),
            rejected: left.rejected.merging(right.rejected) { $0.addingClamping($1) },
            failed: left.failed.merging(right.failed) { $0.addingClamping($1) }
        )
    }

    public static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
        left = left + right
    }
}

/// The outcome of a notification for one target, found by its `apns-id`.
public struct TargetOutcome: Hashable, Sendable {
    public let apnsID: APNsID
    public let notification: NotificationID
    public let target: Target

    /// The outcome; `nil` if it is unknown.
    public let outcome: Outcome?

    public init(apnsID: APNsID, notification: NotificationID, target: Target, outcome: Outcome?) {
        self.apnsID = apnsID
        self.notification = notification
        self.target = target
        self.outcome = outcome
    }
}

/// Why a notification failed without a rejection by APNs; unknown codes are kept.
public struct FailureCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code in responses and in the store.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// APNs gave no answer within the time allowed; it may have been delivered.
    public static let timeout = FailureCode(rawValue: "timeout")

    /// No connection to APNs could be made, or it broke; it may have been delivered.
    public static let connectionLost = FailureCode(rawValue: "connection_lost")

    /// The request was cancelled before this target was sent to.
    public static let cancelled = FailureCode(rawValue: "cancelled")

    /// The request's time was over before this target's turn.
    public static let expired = FailureCode(rawValue: "expired")

    /// The app has no credential for the target's environment and push type.
    public static let noCredential = FailureCode(rawValue: "no_credential")

    /// The app's credential could not be read: a missing file, a wrong password, another master key.
    public static let invalidCredential = FailureCode(rawValue: "invalid_credential")

    /// The stored batch is corrupt.
    public static let corrupt = FailureCode(rawValue: "corrupt")

    /// The store failed repeatedly while the batch was sent, so the batch failed; the notification may have been
    /// delivered.
    public static let storeError = FailureCode(rawValue: "store_error")

    /// Several claims in a row were interrupted while the batch was sent, so it failed; the notification may have been
    /// delivered.
    public static let quarantined = FailureCode(rawValue: "quarantined")

    /// The notification violates a rule that was checked only while sending.
    public static let invalid = FailureCode(rawValue: "invalid")

    /// A message has a placeholder for a value that the device does not have.
    public static let missingValue = FailureCode(rawValue: "missing_value")

    /// A message is over Apple's limit with the values of this device.
    public static let payloadTooLarge = FailureCode(rawValue: "payload_too_large")

    /// Something newer to the same Live Activity took its place while it waited to be sent again.
    public static let superseded = FailureCode(rawValue: "superseded")

    public var description: String { self.rawValue }
}

/// Which failures are asked for.
public struct FailureFilter: Hashable, Sendable {
    /// Apple's reason or our code, as it is written; `nil` for all of them.
    public var reason: String?

    /// Whether sending again may help; `nil` for both.
    public var isRetryable: Bool?

    public init(reason: String? = nil, isRetryable: Bool? = nil) {
        self.reason = reason
        self.isRetryable = isRetryable
    }

    public func matches(_ outcome: Outcome) -> Bool {
        if let isRetryable, outcome.isRetryable != isRetryable { return false }
        guard let reason else { return true }
        switch outcome {
        case .delivered: return false
        case .rejected(let rejection): return rejection.reason.rawValue == reason
        case .failed(let code): return code.rawValue == reason
        }
    }
}

extension BatchOutcomes {
    /// The number of targets by outcome, if the batch is completed.
    public var counts: OutcomeCounts {
        var counts = OutcomeCounts(delivered: self.lifecycle.targetCount.subtractingClamping(self.failures.count))
        for outcome in self.failures.values { counts.add(outcome) }
        return counts
    }
}

/// The known outcomes of the targets of one batch.
public struct BatchOutcomes: Hashable, Sendable {
    public let lifecycle: BatchLifecycle

    /// The targets with another outcome than `delivered`, by index.
    public let failures: [Int: Outcome]

    public init(lifecycle: BatchLifecycle, failures: [Int: Outcome]) {
        self.lifecycle = lifecycle
        self.failures = failures
    }

    /// The outcome of one target; `nil` if it is unknown.
    public func outcome(at index: Int) -> Outcome? {
        guard self.lifecycle.isSettled(index) else { return self.lifecycle.remainder.map { .failed($0) } }
        return self.failures[index] ?? .delivered
    }
}

extension Outcome {
    /// Whether APNs rejected the channel of a broadcast.
    package var namesChannel: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.reason == .channelNotRegistered || rejection.reason == .badChannelID
    }

    /// Whether APNs rejected the token.
    package var namesToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.nextStep == .pruneToken || rejection.nextStep == .suspectToken
    }
}
