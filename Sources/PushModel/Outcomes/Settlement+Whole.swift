// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension Settlement {
    /// What the batch comes to by this settlement alone.
    ///
    /// - Parameter batch: the batch that is settled.
    /// - Returns: the outcomes of all of its targets; `nil` where others were settled before, or are left.
    public func outcomes(ofWhole batch: Batch) -> BatchOutcomes? {
        let count = batch.targets.count
        guard self.range == 0..<count, self.resent.isEmpty, self.deferrals.isEmpty else { return nil }
        let lifecycle = BatchLifecycle(
            state: .settled,
            cursor: count,
            targetCount: count,
            expiresAt: batch.expiresAt,
            lastWorker: self.worker
        )
        let failures = self.failures.map { ($0.index, $0.outcome) }
        return BatchOutcomes(lifecycle: lifecycle, failures: Dictionary(failures) { first, _ in first })
    }
}

extension BatchOutcomes {
    /// How many targets came to what, once the batch is settled to its end.
    public var counts: OutcomeCounts {
        var counts = OutcomeCounts(delivered: self.lifecycle.targetCount - self.failures.count)
        for outcome in self.failures.values { counts.add(outcome) }
        return counts
    }
}
