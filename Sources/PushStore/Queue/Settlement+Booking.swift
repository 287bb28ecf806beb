// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

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
