// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// What a settlement changed.
public struct SettlementReceipt: Hashable, Sendable {
    /// Whether the slice had been settled before; then nothing else changed.
    public let wasRepeated: Bool
    public let batchSettled: Bool
    public let notificationSettled: Bool
    public let pruned: Int
    public let suspected: Int

    public init(
        wasRepeated: Bool = false,
        batchSettled: Bool = false,
        notificationSettled: Bool = false,
        pruned: Int = 0,
        suspected: Int = 0
    ) {
        self.wasRepeated = wasRepeated
        self.batchSettled = batchSettled
        self.notificationSettled = notificationSettled
        self.pruned = pruned
        self.suspected = suspected
    }
}

extension Settlement {
    /// Makes sure that a settlement is one of a batch of so many targets.
    package func check(targetCount: Int) throws {
        guard self.range.lowerBound >= 0, self.range.upperBound <= targetCount else {
            throw StoreError(
                code: .invalid,
                message: "Batch \(self.batch) has \(targetCount) targets; \(self.range) is not a slice of them."
            )
        }
        let resent = Set(self.resent.map(\.index))
        let open = self.failures.map(\.index) + self.deferrals.map(\.index)
        guard Set(open).count == open.count, open.allSatisfy({ self.range.contains($0) || resent.contains($0) }) else {
            throw StoreError(
                code: .invalid,
                message: "A failure or a deferral of batch \(self.batch) lies outside of the settled slice "
                    + "\(self.range) and of what was sent again, or an index has two."
            )
        }
        let areOrdered = [self.resent, self.deferrals].allSatisfy { deferrals in
            zip(deferrals, deferrals.dropFirst()).allSatisfy { $0.index < $1.index }
        }
        guard areOrdered else {
            throw StoreError(code: .invalid, message: "Deferrals of batch \(self.batch) are out of order. Sort them.")
        }
        guard self.failures.allSatisfy({ $0.outcome != .delivered }) else {
            throw StoreError(code: .invalid, message: "A failure of batch \(self.batch) was delivered. Leave it out.")
        }
    }
}

extension Outcome {
    fileprivate static let rejectedKind = 1
    fileprivate static let failedKind = 2

    /// What the columns `kind`, `name`, `status` and `inactive_since` hold; `nil` for `delivered`, which is not stored.
    package var stored: (kind: Int, name: String, status: Int?, inactiveSince: Int64?)? {
        switch self {
        case .delivered: nil
        case .rejected(let rejection):
            (Self.rejectedKind, rejection.reason.rawValue, rejection.status, rejection.inactiveSince)
        case .failed(let code): (Self.failedKind, code.rawValue, nil, nil)
        }
    }

    package init(stored row: some StoredRow) throws {
        let name = try row.string("name")
        if try row.number("kind") == Self.rejectedKind {
            self = .rejected(
                Rejection(
                    status: try row.optionalNumber("status") ?? 0,
                    reason: RejectionReason(rawValue: name),
                    inactiveSince: try row.integer("inactive_since").map(StoredLimit.clamp)
                )
            )
        } else {
            self = .failed(FailureCode(rawValue: name))
        }
    }
}

extension OutcomeCounts {
    /// The counts as rows, without those that are zero; what was delivered is counted in the batch itself.
    package var stored: [(kind: Int, name: String, count: Int)] {
        let rejected = self.rejected.map { (kind: Outcome.rejectedKind, name: $0.key.rawValue, count: $0.value) }
        let failed = self.failed.map { (kind: Outcome.failedKind, name: $0.key.rawValue, count: $0.value) }
        return (rejected + failed).filter { $0.count > 0 }
    }

    package mutating func add(stored row: some StoredRow) throws {
        let (name, count) = (try row.string("name"), try row.number("count", in: StoredLimit.sums))
        if try row.number("kind") == Outcome.rejectedKind {
            self.rejected[RejectionReason(rawValue: name), default: 0] += count
        } else {
            self.failed[FailureCode(rawValue: name), default: 0] += count
        }
    }
}
