// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Work

/// Processes one claimed batch, until nothing more of it can be sent for now.
struct BatchProcessor: LeasedItem {
    static let kind = "batch"

    let claimed: ClaimedBatch
    let context: DeliveryService

    /// The time of the claim, from which the delay of settlements is measured.
    private let began = ContinuousClock.now

    init(claimed: ClaimedBatch, context: DeliveryService) {
        self.claimed = claimed
        self.context = context
    }

    var logger: Logger { self.context.logger }

    var logMetadata: Logger.Metadata {
        [
            "batch.id": "\(self.claimed.batch.id)", "notification.id": "\(self.claimed.batch.notification)",
            "app": "\(self.claimed.batch.app)",
        ]
    }

    var failures: Int { self.claimed.setbacks }

    /// The time from which no target of the batch is sent.
    private var expiry: Date { self.claimed.expiry(maximumAge: self.context.configuration.maximumAge) }

    private var isExpired: Bool { self.expiry <= self.context.now() }

    /// Sends the claimed targets, settles them, and releases the batch with the rest.
    ///
    /// The lease is extended until everything that was sent is settled.
    func run() async {
        await self.processing { _ in
            let duration = self.context.configuration.leaseDuration
            // Check at the expiry at the latest, because chunks in flight may wait for a connection then.
            let interval = { @Sendable () -> Duration in
                let left = Duration.wait(until: self.expiry, from: self.context.now())
                return left > .zero ? min(duration / 3, left) : duration / 3
            }
            self.count(
                try await self.keepingLease(clock: self.context.clock, every: interval) {
                    try await self.sendAndRelease()
                }
            )
        }
    }

    func extendLease() async throws {
        if self.isExpired { self.context.halts.expire(self.claimed.batch.id) }
        try await self.context.store.extendLease(
            of: self.claimed.batch.id,
            worker: self.claimed.worker,
            leaseDuration: self.context.configuration.leaseDuration,
            now: self.context.now()
        )
    }

    func end(after failure: WorkFailure) async throws {
        switch failure {
        case .leaseLost: self.count(.leaseLost)
        case .cancelled: self.count(.abandoned)
        case .transient(let error):
            self.log(.error, "Abandoned batch; waiting until its lease expires", error)
            self.count(.abandoned)
        case .permanent(_, let failures):
            do {
                self.count(try await self.setBack(failures))
            } catch {
                self.count(.abandoned)
                throw error
            }
        }
    }

    private func count(_ end: BatchEnd) {
        // The next worker of a batch that ended here starts its count at 0; a released batch keeps its count.
        switch end {
        case .settled, .failed, .leaseLost: self.context.setbacks.forget(self.claimed.batch.id)
        case .deferred, .stopped, .halted, .paused, .setBack, .abandoned: break
        }
        self.context.metrics.count(end)
    }

    private func sendAndRelease() async throws -> BatchEnd {
        let slot = self.claimed.isSuspect ? self.context.suspects.begin(isIdle: true) : nil
        defer { slot?.end() }
        if let slot, !slot.request() { await slot.isGranted() }
        DebugTrap.check(.batch, "\(self.claimed.batch.id)")
        if self.context.setbacks.count(of: self.claimed.batch.id) >= self.context.configuration.maximumSetbacks {
            // An earlier attempt to end the batch failed in the store.
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
        switch try await self.sendChunks(along: routes) {
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

    /// Ends the batch; the targets without an outcome fail with `code`.
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
            metadata: self.logMetadata.merging(["code": "\(code)", "targets": "\(count)"]) { own, _ in own }
        )
    }

    /// Releases the batch after a permanent error, with a growing delay; fails it after too many of them.
    private func setBack(_ failures: Int) async throws -> BatchEnd {
        let batch = self.claimed.batch.id
        // Counted here too, in case that the store cannot count it, or that its count is corrupt.
        let count = max(failures, self.context.setbacks.add(batch))
        guard count < self.context.configuration.maximumSetbacks else {
            try await self.close(as: .store)
            return .failed
        }
        let now = self.context.now()
        let until = now.advanced(by: self.context.configuration.outageBackoff.delay(after: count) / .seconds(1))
        try await self.context.store.setBack(batch, worker: self.claimed.worker, until: until, now: now)
        return .setBack
    }
}

extension BatchProcessor {
    /// Finds the route of each environment, and reports those without one.
    ///
    /// - Throws: `StoreError` if the store fails.
    func routes() async throws -> BatchRoutes {
        let routes = try await BatchRoutes.find(self.claimed.batch.kind, by: self.context.resolver)
        for failure in routes.legs.compactMap(\.failure) {
            self.log(.error, "Targets fail for want of a credential", failure)
        }
        return routes
    }
}

extension BatchProcessor {
    /// An event that ``sendChunks(along:)`` waits for.
    private enum Event: Sendable {
        case granted(Int)
        case answered(ChunkResult)
        case stopped(BatchProgress.Stop)
    }

    /// Sends chunks as the window grants capacity, and settles each when it has its result.
    func sendChunks(along routes: BatchRoutes) async throws -> BatchProgress.End {
        let holder = WindowShares.Holder(lane: self.claimed.batch.lane, kind: self.claimed.batch.kind)
        let part = WindowPart(of: self.context.window, for: holder)
        // If an error is thrown, the chunks in flight are awaited first.
        defer { part.giveBackAll() }
        let halts = self.context.halts.begin(self.claimed.batch)
        defer { self.context.halts.end(self.claimed.batch.id) }
        let sender = ChunkSender(claimed: self.claimed, routes: routes, rule: self.rule, context: self.context)
        let main = routes.lines.count > 1 ? self.claimed.batch.targets.mainEnvironment : nil
        return try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { (try? await gracefulShutdown()) == nil ? .stopped(.cancelled) : .stopped(.shutdown) }
            group.addTask {
                for await reason in halts { return .stopped(reason) }
                return .stopped(.cancelled)
            }
            var progress = BatchProgress(self.claimed)
            while true {
                // The client waits for the responses in flight, and returns what it has not sent.
                if progress.isStopping { group.cancelAll() }
                if progress.mayAsk, let wanted = self.ask(&progress, routes) {
                    group.addTask { .granted(await part.take(wanted)) }
                }
                guard progress.isUnderWay, let event = try await group.next() else { return progress.end }
                if let obstacle = self.obstacle { progress.stop(for: obstacle) }
                switch event {
                case .stopped(let reason): progress.stop(for: reason)
                case .granted(let count):
                    let ahead = progress.environmentsAhead
                    guard let chunk = progress.begin(count) else { continue }
                    let now = self.context.now()
                    let postponed = self.context.breakers.postponed(routes, in: ahead, main: main, now: now)
                    group.addTask { .answered(await sender.send(chunk, leaving: postponed)) }
                case .answered(let result):
                    let settlement = progress.settle(result)
                    progress.isSettled = try await self.announceAndSettle(settlement)
                    part.giveBack(result.chunk.count)
                    if self.context.breakers.arePaused(routes, now: self.context.now()) { progress.stop(for: .paused) }
                }
            }
        }
    }

    /// Why no chunk can be sent now; `nil` if one can.
    ///
    /// A stop is also an event. If both occur, a grant must not let out another chunk first.
    private var obstacle: BatchProgress.Stop? {
        if self.isExpired { return .expired }
        if Task.isShuttingDownGracefully { return .shutdown }
        return self.context.halts.stop(of: self.claimed.batch.id)
    }

    private var rule: ResendRule {
        let configuration = self.context.configuration
        return ResendRule(
            maximumAttempts: configuration.maximumAttempts,
            backoff: configuration.retryBackoff,
            maximumDelay: configuration.maximumDelay,
            expiry: self.expiry,
            isOnce: self.claimed.isTriedOnce
        )
    }

    /// Returns how many targets to request from the window now; `nil` for none.
    private func ask(_ progress: inout BatchProgress, _ routes: BatchRoutes) -> Int? {
        let isProbe = self.context.breakers.areUnproven(
            routes,
            in: progress.environmentsAhead,
            now: self.context.now()
        )
        return progress.ask(for: self.context.configuration.sliceTargets, asProbe: isProbe)
    }

    private func announceAndSettle(_ settlement: Settlement) async throws -> Bool {
        try await self.context.announcements.announcing(settlement, of: self.claimed.batch) {
            try await self.settle(settlement)
        }
    }
}

extension TargetList {
    /// The environment of most targets.
    fileprivate var mainEnvironment: APNsEnvironment {
        let production = self.indices.count { self.environment(at: $0) == .production }
        return 2 * production >= self.count ? .production : .sandbox
    }
}

extension BatchProcessor {
    /// Settles a chunk; retries transient errors of the store.
    ///
    /// - Returns: whether every target of the batch has its outcome now.
    /// - Throws: `StoreError` `.leaseLost` and permanent errors; on shutdown also transient ones.
    func settle(_ settlement: Settlement) async throws -> Bool {
        try await self.repeating(
            after: self.context.configuration.retryBackoff,
            clock: self.context.clock,
            "A chunk could not be settled yet"
        ) { attempt in
            try await self.settleOnce(settlement, isRepetition: attempt > 1)
        }
    }

    private func settleOnce(_ settlement: Settlement, isRepetition: Bool) async throws -> Bool {
        var receipt = SettlementReceipt()
        let duration = try await ContinuousClock().measure {
            receipt = try await self.context.store.settle(settlement, now: self.context.now())
        }
        self.context.metrics.settled(in: duration, age: ContinuousClock.now - self.began, lane: self.claimed.batch.lane)
        // An attempt whose result was lost may have settled the chunk, but did not count it.
        if !receipt.wasRepeated || isRepetition {
            self.context.metrics.count(settlement.counts, pruned: receipt.pruned, suspected: receipt.suspected)
        }
        return receipt.batchSettled
    }
}
