// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// What a settlement changed.
public struct SettlementReceipt: Hashable, Sendable {
    /// Whether the slice had been settled before; then nothing else changed.
    public let wasRepeated: Bool

    /// Whether the batch is settled now.
    public let batchSettled: Bool

    /// Whether the notification is settled now, by this settlement.
    public let notificationSettled: Bool

    /// How many devices became invalid by it.
    public let pruned: Int

    /// How many devices became suspect by it.
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
    ///
    /// - Throws: ``StoreError`` `.invalid` that says which rule it breaks.
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

extension BatchRow {
    /// What a settlement comes to.
    package enum Booking {
        /// The slice is to be written down with these counts; `isFinished` when it was the batch's last one.
        case booked(counts: OutcomeCounts, isFinished: Bool)

        /// It was booked before.
        case repeated(SettlementReceipt)
    }

    /// Books a settlement in the row; the rest of it is for the store to write.
    ///
    /// - Throws: ``StoreError`` `.leaseLost` and `.invalid`.
    package mutating func book(_ settlement: Settlement) throws -> Booking {
        try settlement.check(targetCount: self.lifecycle.targetCount)
        let settling = self.lifecycle.settle(
            settlement.range,
            resent: settlement.resent,
            deferring: settlement.deferrals,
            by: settlement.worker
        )
        switch settling {
        case .applied(let isFinished):
            let counts = settlement.counts
            self.delivered += counts.delivered
            return .booked(counts: counts, isFinished: isFinished)
        case .alreadyApplied:
            return .repeated(SettlementReceipt(wasRepeated: true, batchSettled: self.lifecycle.state == .settled))
        case .leaseLost: throw StoreError.leaseLost(batch: settlement.batch, worker: settlement.worker)
        }
    }
}

extension Outcome {
    /// Reads the columns `kind`, `name`, `status` and `inactive_since`.
    package init(stored row: some StoredRow) throws {
        let name = try row.string("name")
        if try row.number("kind") == StoredOutcome.rejected {
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
        let rejected = self.rejected.map { (kind: StoredOutcome.rejected, name: $0.key.rawValue, count: $0.value) }
        let failed = self.failed.map { (kind: StoredOutcome.failed, name: $0.key.rawValue, count: $0.value) }
        return (rejected + failed).filter { $0.count > 0 }
    }

    /// Adds a row's columns `kind`, `name` and `count`.
    package mutating func add(stored row: some StoredRow) throws {
        let (name, count) = (try row.string("name"), try row.number("count", in: StoredLimit.sums))
        if try row.number("kind") == StoredOutcome.rejected {
            self.rejected[RejectionReason(rawValue: name), default: 0] += count
        } else {
            self.failed[FailureCode(rawValue: name), default: 0] += count
        }
    }
}

extension BatchRow {
    /// The failures of a batch behind a position that match, in the order of the targets.
    ///
    /// What has an outcome of its own has a row; of a batch that is final, the rest came to what the batch came to.
    /// `own` are the failures that have a row, behind `position` and in their order. `targets` is called only if the
    /// batch left targets without an outcome of their own.
    /// - Throws: what reading the targets throws.
    package func deadLetters(
        matching filter: FailureFilter,
        own: [TargetOutcome],
        after position: Int,
        limit: Int,
        targets: () throws -> TargetList
    ) throws -> [TargetOutcome] {
        let own = own.filter { outcome in outcome.outcome.map(filter.matches) ?? false }
        guard let code = self.lifecycle.remainder, filter.matches(.failed(code)) else {
            return Array(own.prefix(limit))
        }
        let left = ((position + 1)..<max(position + 1, self.lifecycle.targetCount))
            .filter { !self.lifecycle.isSettled($0) }
        guard !left.isEmpty else { return Array(own.prefix(limit)) }
        let targets = try targets()
        let rest = left.map { index in
            TargetOutcome(
                apnsID: self.id.apnsID(at: index),
                notification: self.notification,
                target: targets[index],
                outcome: .failed(code)
            )
        }
        return Array((own + rest).sorted { $0.apnsID < $1.apnsID }.prefix(limit))
    }
}
