// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Logging
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One claimed batch on its way, until nothing more of it can be sent for now.
struct BatchRun: Sendable {
    let claimed: ClaimedBatch
    let context: DeliveryContext

    /// When the batch was claimed, for how long its slices took.
    private let began = ContinuousClock.now

    init(claimed: ClaimedBatch, context: DeliveryContext) {
        self.claimed = claimed
        self.context = context
    }

    /// How long ago the batch was claimed.
    var age: Duration { ContinuousClock.now - self.began }

    /// The time from which nothing more of the batch is sent.
    var expiry: Date { self.claimed.expiry(maximumAge: self.context.configuration.maximumAge) }

    var isExpired: Bool { self.expiry <= self.context.now() }

    /// For how long the batch may still be sent; `nil` when its time is over.
    var timeLeft: Duration? {
        let seconds = self.expiry.timeIntervalSince(self.context.now())
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Sends what the claim is for, settles it, and gives the batch back with what is left.
    ///
    /// The lease is kept until all that was sent is settled.
    /// - Returns: how that ended.
    func send() async -> BatchEnd {
        let end: BatchEnd
        do {
            end = try await self.keepingLease { try await self.sendAndGiveBack() }
        } catch let error as StoreError where error.code == .leaseLost {
            self.log(.info, "The lease of a batch was lost", error)
            end = .leaseLost
        } catch let error as StoreError where !error.isTransient {
            end = await self.setBack(error)
        } catch {
            self.log(.error, "A batch is left until its lease lapses", error)
            end = .abandoned
        }
        // Whoever has the batch now counts anew; a batch that is given back for later counts on.
        switch end {
        case .settled, .failed, .leaseLost: self.context.setbacks.forget(self.claimed.batch.id)
        case .deferred, .stopped, .halted, .paused, .setBack, .abandoned: break
        }
        self.context.metrics.count(end)
        return end
    }

    private func sendAndGiveBack() async throws -> BatchEnd {
        if self.context.setbacks.count(of: self.claimed.batch.id) >= self.context.configuration.maximumSetbacks {
            // It was to end before, and the store could not take that.
            try await self.close(as: .store)
            return .failed
        }
        let end = try await self.sendAll()
        switch end {
        case .deferred, .stopped, .halted, .paused:
            let calledOff = try await self.context.store.release(
                self.claimed.batch.id,
                worker: self.claimed.worker,
                now: self.context.now()
            )
            self.context.metrics.count(OutcomeCounts(failed: [.cancelled: calledOff]))
        case .settled, .leaseLost, .setBack, .failed, .abandoned: break
        }
        return end
    }

    private func sendAll() async throws -> BatchEnd {
        if Task.isShuttingDownGracefully || Task.isCancelled { return .stopped }
        if self.isExpired { return try await self.expire() }
        let routes = try await self.routes()
        self.context.breakers.learn(self.claimed.batch.kind, routes.lines)
        if self.context.breakers.arePaused(routes, now: self.context.now()) { return .paused }
        switch try await self.sendSlices(along: routes) {
        case .settled: return .settled
        case .left: return .deferred
        case .stopped(.expired): return try await self.expire()
        case .stopped(.shutdown), .stopped(.cancelled): return .stopped
        case .stopped(.paused): return .paused
        case .stopped(.halted): return .halted
        }
    }

    private func expire() async throws -> BatchEnd {
        try await self.close(as: .expired)
        return .settled
    }

    /// Ends the batch: what has no outcome comes to `code`.
    private func close(as code: FailureCode) async throws {
        let count = try await self.context.store.close(
            self.claimed.batch.id,
            worker: self.claimed.worker,
            as: code,
            now: self.context.now()
        )
        self.context.metrics.count(OutcomeCounts(failed: [code: count]))
        guard code != .expired else { return }
        self.context.logger.error(
            "A batch has failed",
            metadata: self.metadata.merging(["code": "\(code)", "targets": "\(count)"]) { own, _ in own }
        )
    }

    // MARK: Setbacks

    /// The store refuses what no repetition helps with: the batch waits longer each time, and fails in the end.
    private func setBack(_ error: StoreError) async -> BatchEnd {
        let batch = self.claimed.batch.id
        // Counted here too, in case that the store cannot count it.
        let count = max(self.claimed.setbacks + 1, self.context.setbacks.add(batch))
        self.log(.error, "A batch could not be carried out (\(count) times)", error)
        do {
            guard count < self.context.configuration.maximumSetbacks else {
                try await self.close(as: .store)
                return .failed
            }
            let delay = self.context.configuration.outageBackoff.delay(after: count)
            let now = self.context.now()
            let until = now.advanced(by: delay / .seconds(1))
            try await self.context.store.setBack(batch, worker: self.claimed.worker, until: until, now: now)
            return .setBack
        } catch {
            self.log(.error, "A batch is left until its lease lapses", error)
            return .abandoned
        }
    }

    /// By what the log knows the batch.
    private var metadata: Logger.Metadata {
        [
            "batch.id": "\(self.claimed.batch.id)", "notification.id": "\(self.claimed.batch.notification)",
            "app": "\(self.claimed.batch.app)",
        ]
    }

    func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        self.context.logger.log(
            level: level,
            message,
            metadata: self.metadata.merging(["error": "\(error)"]) { own, _ in own }
        )
    }
}
