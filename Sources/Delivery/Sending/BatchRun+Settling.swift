// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Logging
import PushModel
import PushStore
import ServiceLifecycle

extension BatchRun {
    /// Runs a body, and extends the lease meanwhile; when the lease is lost, the body is cancelled and that is thrown.
    func keepingLease(_ body: @Sendable @escaping () async throws -> BatchEnd) async throws -> BatchEnd {
        try await withThrowingTaskGroup(of: BatchEnd?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await self.keepLease()
                return nil
            }
            group.addTask { try await body() }
            while let end = try await group.next() {
                if let end { return end }
            }
            throw CancellationError()
        }
    }

    /// Extends the lease until cancelled, also while a shutdown is awaited; throws when it is lost.
    ///
    /// It wakes in time to say that the time of the batch is over: what is sent may wait for a connection just then.
    private func keepLease() async throws {
        let duration = self.context.configuration.leaseDuration
        while (try? await self.context.clock.sleep(for: min(duration / 3, self.timeLeft ?? duration))) != nil {
            if self.isExpired { self.context.halts.expire(self.claimed.batch.id) }
            do {
                try await self.context.store.extendLease(
                    of: self.claimed.batch.id,
                    worker: self.claimed.worker,
                    leaseDuration: duration,
                    now: self.context.now()
                )
            } catch let error as StoreError where error.code != .leaseLost {
                self.log(.warning, "A lease could not be extended", error)
            }
        }
    }

    /// Books a slice; repeats that while the store cannot take it but may later.
    ///
    /// - Returns: whether every target of the batch has its outcome now.
    /// - Throws: `StoreError`: `.leaseLost`, or what repeating does not help with; on shutdown also the others.
    func settle(_ settlement: Settlement) async throws -> Bool {
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try await self.settleOnce(settlement, isRepetition: attempt > 1)
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

    private func settleOnce(_ settlement: Settlement, isRepetition: Bool) async throws -> Bool {
        var receipt = SettlementReceipt()
        let duration = try await ContinuousClock().measure {
            receipt = try await self.context.store.settle(settlement, now: self.context.now())
        }
        self.context.metrics.settled(in: duration, age: self.age, lane: self.claimed.batch.lane)
        // What was booked before by an attempt whose answer was lost has not been counted.
        if !receipt.wasRepeated || isRepetition {
            self.context.metrics.count(settlement.counts, pruned: receipt.pruned, suspected: receipt.suspected)
        }
        return receipt.batchSettled
    }
}
