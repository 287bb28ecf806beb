// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Logging
import PushModel
import PushStore
import ServiceLifecycle

extension BatchRun {
    /// Books a slice; repeats that while the store cannot take it but may later.
    ///
    /// - Throws: `StoreError`: `.leaseLost`, or what repeating does not help with; on shutdown also the others.
    func settle(_ range: Range<Int>, _ failures: [Settlement.Failure]) async throws {
        let settlement = Settlement(of: self.claimed, range: range, failures: failures)
        for attempt in 1... {
            do {
                return try await self.settle(settlement)
            } catch let error as StoreError
                where error.isTransient && !Task.isShuttingDownGracefully && !Task.isCancelled
            {
                self.log(.warning, "A slice could not be settled yet", error)
                let delay = self.context.configuration.retryBackoff.delay(after: attempt)
                // Cut short by a shutdown: then one more attempt is the last.
                try? await cancelWhenGracefulShutdown { try await self.context.clock.sleep(for: delay) }
            }
        }
    }

    private func settle(_ settlement: Settlement) async throws {
        var receipt = SettlementReceipt()
        let duration = try await ContinuousClock().measure {
            receipt = try await self.context.store.settle(settlement, now: self.context.now())
        }
        self.context.metrics.settled(in: duration)
        guard !receipt.wasRepeated else { return }
        self.context.metrics.count(settlement.counts, pruned: receipt.pruned, suspected: receipt.suspected)
    }

    /// Settles all that is left as expired.
    func expire(from cursor: Int) async throws -> BatchEnd {
        let end = self.claimed.batch.targets.count
        for start in stride(from: cursor, to: end, by: max(1, self.context.configuration.sliceTargets)) {
            let range = start..<min(start + max(1, self.context.configuration.sliceTargets), end)
            try await self.settle(range, range.map { Settlement.Failure(index: $0, outcome: .failed(.expired)) })
        }
        return .settled
    }
}
