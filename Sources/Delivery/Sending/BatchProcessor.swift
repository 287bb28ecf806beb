// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Processes one claimed batch, until nothing more of it can be sent for now.
struct BatchProcessor: LeasedItem {
    static let kind = "batch"

    /// An event that ``sendChunks(along:)`` waits for.
    private enum Event: Sendable {
        case granted(Int)
        case answered(ChunkResult)
        case stopped(BatchProgress.Stop)
    }

    let claimed: ClaimedBatch
    let context: DeliveryService

    /// The time of the claim, from which the delay of settlements is measured.
    let began = ContinuousClock.now

    var logger: Logger { self.context.logger }
    var failures: Int { self.claimed.setbacks }

    var logMetadata: Logger.Metadata {
        ["batch.id": "\(self.batch.id)", "notification.id": "\(self.batch.notification)", "app": "\(self.batch.app)"]
    }

    private var batch: Batch { self.claimed.batch }
    private var configuration: DeliveryConfiguration { self.context.configuration }
    private var now: Date { self.context.now() }

    /// The time from which no target of the batch is sent.
    private var expiry: Date { self.claimed.expiry(maximumAge: self.configuration.maximumAge) }

    private var isExpired: Bool { self.expiry <= self.now }

    /// Sends the claimed targets, settles them, and releases the batch with the rest.
    ///
    /// The lease is extended until everything that was sent is settled.
    func run() async {
        await self.processing { try await self.sendAndRelease() }
    }

    /// Ends a batch that was sent directly (``DirectSend``) and is not settled as a whole: settles the targets that
    /// were sent, and releases the batch with the rest.
    ///
    /// `first` is the result of the first attempt to settle them, which shared a transaction; `nil` without one. If it
    /// failed transiently, another attempt follows, also during a shutdown.
    func finish(_ send: DirectSend.Completion, first: Result<SettlementResult, any Error>?) async {
        await self.processing {
            if try await self.settle(send, first: first) { return .completed }
            let isPaused = self.context.breakers.arePaused(send.routes, now: self.now)
            let stop = self.obstacle ?? (isPaused ? .paused : nil)
            return try await self.release(after: stop.map { .stopped($0) } ?? .left)
        }
    }

    /// Keeps the lease while `body` processes the batch, and counts how that ended.
    private func processing(_ body: @escaping @Sendable () async throws -> BatchProcessingResult) async {
        await self.processing { _ in
            let duration = self.configuration.leaseDuration
            // Check at the expiry at the latest, because chunks in flight may wait for a connection then.
            let interval = { @Sendable () -> Duration in
                let left = Duration.wait(until: self.expiry, from: self.now)
                return left > .zero ? min(duration / 3, left) : duration / 3
            }
            self.count(try await self.keepingLease(clock: self.context.clock, every: interval, body))
        }
    }

    func extendLease() async throws {
        if self.isExpired { self.context.halts.expire(self.batch.id) }
        try await self.context.store.extendLease(
            of: self.batch.id,
            worker: self.claimed.worker,
            leaseDuration: self.configuration.leaseDuration,
            now: self.now
        )
    }

    func end(after failure: WorkFailure) async throws {
        switch failure {
        case .leaseLost: self.count(.leaseLost)
        case .cancelled: self.count(.abandoned)
        case .transient(let error):
            self.log(.error, "Abandoned batch; releasing it when the store responds", error)
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

    func count(_ end: BatchProcessingResult) {
        // The next worker of a batch that ended here starts its count at 0; a released batch keeps its count.
        switch end {
        case .completed, .failed, .leaseLost: self.context.setbacks.forget(self.batch.id)
        case .abandoned: self.context.gate(of: self.batch.lane).keepLease(of: self.batch.id)
        case .deferred, .shutdown, .stopRequested, .circuitOpen, .retried: break
        }
        self.context.metrics.count(end)
    }

    private func sendAndRelease() async throws -> BatchProcessingResult {
        let slot = self.claimed.isSuspect ? self.context.suspects.begin(isIdle: true) : nil
        defer { slot?.end() }
        if let slot, !slot.request() { await slot.isGranted() }
        DebugTrap.check(.batch, "\(self.batch.id)")
        // An earlier attempt to end the batch may have failed in the store.
        let isSpent = self.context.setbacks.count(of: self.batch.id) >= self.configuration.maximumSetbacks
        if isSpent { return try await self.close(as: .storeError) }
        return try await self.release(after: try await self.sendAll())
    }

    /// Releases the batch with the targets that are left, or closes it if these expired.
    private func release(after progress: BatchProgress.End) async throws -> BatchProcessingResult {
        let end: BatchProcessingResult
        switch progress {
        case .settled: return .completed
        case .stopped(.expired): return try await self.close(as: .expired)
        case .left: end = .deferred
        case .stopped(.shutdown), .stopped(.cancelled): end = .shutdown
        case .stopped(.paused): end = .circuitOpen
        case .stopped(.halted): end = .stopRequested
        }
        try await self.context.release(self.claimed)
        return end
    }

    private func sendAll() async throws -> BatchProgress.End {
        if Task.isShuttingDownGracefully || Task.isCancelled { return .stopped(.shutdown) }
        if self.isExpired { return .stopped(.expired) }
        let routes = try await BatchRoutes.find(self.batch.kind, by: self.context.resolver)
        for failure in routes.legs.compactMap(\.failure) {
            self.log(.error, "No usable credential; failing targets", failure)
        }
        self.context.breakers.learn(self.batch.kind, routes.lines)
        if self.context.breakers.arePaused(routes, now: self.now) { return .stopped(.paused) }
        return try await self.sendChunks(along: routes)
    }

    /// Ends the batch; the targets without an outcome fail with `code`.
    private func close(as code: FailureCode) async throws -> BatchProcessingResult {
        let count = try await self.context.store.close(
            self.batch.id,
            worker: self.claimed.worker,
            as: code,
            now: self.now
        )
        self.context.metrics.count(OutcomeCounts(failed: [code: count]))
        if code == .expired { return .completed }
        self.logger.error(
            "Batch failed",
            metadata: self.logMetadata.merging(["code": "\(code)", "targets": "\(count)"]) { own, _ in own }
        )
        return .failed
    }

    /// Releases the batch after a permanent error, with a growing delay; fails it after too many of them.
    private func setBack(_ failures: Int) async throws -> BatchProcessingResult {
        // Counted here too, in case that the store cannot count it, or that its count is corrupt.
        let count = max(failures, self.context.setbacks.add(self.batch.id))
        guard count < self.configuration.maximumSetbacks else { return try await self.close(as: .storeError) }
        let now = self.now
        let until = now.advanced(by: self.configuration.breaker.outage.delay(after: count) / .seconds(1))
        try await self.context.store.setBack(self.batch.id, worker: self.claimed.worker, until: until, now: now)
        return .retried
    }

    // MARK: Chunks

    /// Sends chunks as the window grants capacity, and settles each when it has its result.
    private func sendChunks(along routes: BatchRoutes) async throws -> BatchProgress.End {
        let breakers = self.context.breakers
        let part = WindowReservation(of: self.context.window, for: .init(lane: self.batch.lane, kind: self.batch.kind))
        // If an error is thrown, the chunks in flight are awaited first.
        defer { part.giveBackAll() }
        let (halts, halt) = AsyncStream.makeStream(of: BatchProgress.Stop.self, bufferingPolicy: .bufferingOldest(1))
        self.context.halts.begin(self.batch) { halt.yield($0) }
        defer { self.context.halts.end(self.batch.id) }
        let sender = ChunkSender(self.claimed, along: routes, in: self.context)
        let main = routes.lines.count > 1 ? self.batch.targets.mainEnvironment : nil
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
                if progress.mayAsk {
                    let isProbe = breakers.areHalfOpen(routes, in: progress.environmentsAhead, now: self.now)
                    if let wanted = progress.ask(for: self.configuration.chunkSize, asProbe: isProbe) {
                        group.addTask { .granted(await part.take(wanted)) }
                    }
                }
                guard progress.isUnderWay, let event = try await group.next() else { return progress.end }
                if let obstacle = self.obstacle { progress.stop(for: obstacle) }
                switch event {
                case .stopped(let reason): progress.stop(for: reason)
                case .granted(let count):
                    let ahead = progress.environmentsAhead
                    guard let chunk = progress.begin(count) else { continue }
                    let postponed = breakers.postponed(routes, in: ahead, main: main, now: self.now)
                    group.addTask { .answered(await sender.send(chunk, leaving: postponed)) }
                case .answered(let result):
                    let settlement = progress.settle(result)
                    progress.isSettled = try await self.context.announcements.announcing(settlement, of: self.batch) {
                        try await self.settle(settlement)
                    }
                    part.giveBack(result.chunk.count)
                    if breakers.arePaused(routes, now: self.now) { progress.stop(for: .paused) }
                }
            }
        }
    }

    /// Why no chunk can be sent now; `nil` if one can.
    ///
    /// A stop is also an event. If both occur, a grant must not let out another chunk first.
    private var obstacle: BatchProgress.Stop? {
        if self.isExpired { return .expired }
        return Task.isShuttingDownGracefully ? .shutdown : self.context.halts.stop(of: self.batch.id)
    }

    private func settle(
        _ send: DirectSend.Completion,
        first: Result<SettlementResult, any Error>?
    ) async throws -> Bool {
        do {
            if let first { return try first.get().batchSettled }
        } catch let error as StoreError where error.isTransient {
            self.log(.warning, "Failed to settle a chunk; retrying", error)
        }
        do {
            // The first extension of the lease keeper may come too late.
            try await self.extendLease()
        } catch let error as StoreError where error.isTransient || error.code == .leaseLost {
            // The lease is lost too if the first attempt was stored but its result was not received.
            self.log(.warning, "Failed to extend the lease of \(Self.kind); trying again", error)
        }
        return try await self.settle(send.settlement, attempts: 1)
    }

    /// Settles a chunk; retries transient errors of the store.
    ///
    /// `attempts` is the number of earlier attempts.
    /// - Returns: whether every target of the batch has its outcome now.
    /// - Throws: `StoreError` `.leaseLost` and permanent errors; on shutdown also transient ones.
    private func settle(_ settlement: Settlement, attempts: Int = 0) async throws -> Bool {
        try await self.repeating(
            after: self.configuration.settlementBackoff,
            clock: self.context.clock,
            "Failed to settle a chunk; retrying"
        ) { attempt in
            let start = ContinuousClock.now
            let receipt = try await self.context.store.settle(settlement, now: self.now)
            self.record(receipt, of: settlement, since: start, attempt: attempts + attempt)
            return receipt.batchSettled
        }
    }

    /// Records a settlement in the metrics, `start` being the time when the attempt began.
    func record(
        _ receipt: SettlementResult,
        of settlement: Settlement,
        since start: ContinuousClock.Instant,
        attempt: Int = 1
    ) {
        let end = ContinuousClock.now
        self.context.metrics.settled(in: end - start, age: end - self.began, lane: self.batch.lane)
        // An attempt whose result was lost may have settled the chunk, but did not count it.
        guard !receipt.wasRepeated || attempt > 1 else { return }
        self.context.metrics.count(settlement.counts, invalidated: receipt.pruned, suspected: receipt.suspected)
    }
}

extension TargetList {
    fileprivate var mainEnvironment: APNsEnvironment {
        let production = self.indices.count { self.environment(at: $0) == .production }
        return 2 * production >= self.count ? .production : .sandbox
    }
}

/// Why the processing of a claimed batch ended.
package enum BatchProcessingResult: String, CaseIterable, Hashable, Sendable {
    /// Every target has its outcome.
    case completed

    /// Some targets are deferred.
    case deferred

    /// The service is shutting down; other workers can claim the batch at once.
    case shutdown

    /// A caller paused or cancelled it.
    case stopRequested = "stop_requested"

    /// All of its circuits are open.
    case circuitOpen = "circuit_open"

    /// Another worker claimed the batch, or it was cancelled.
    case leaseLost = "lease_lost"

    /// The processing failed and is retried later.
    case retried

    /// The processing failed too often, so the batch failed.
    case failed

    /// The store is unreachable; the batch is claimed again when its lease expires.
    case abandoned
}

/// Counts the processing failures of batches in this process, for when the store cannot count them.
///
/// It keeps at most ``maximumCount`` batches and forgets the oldest, because it does not learn which batches other
/// processes end.
final class BatchFailureCounts: Sendable {
    static let maximumCount = 1000

    private let counts = Mutex<[BatchID: Int]>([:])

    var batchCount: Int { self.counts.withLock(\.count) }

    func count(of batch: BatchID) -> Int { self.counts.withLock { $0[batch, default: 0] } }

    /// Counts a failure of a batch, and returns its number of failures.
    func add(_ batch: BatchID) -> Int {
        self.counts.withLock { counts in
            counts[batch, default: 0] += 1
            if counts.count > Self.maximumCount, let oldest = counts.keys.min() { counts[oldest] = nil }
            return counts[batch, default: 0]
        }
    }

    func forget(_ batch: BatchID) { self.counts.withLock { _ = $0.removeValue(forKey: batch) } }
}
