// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import SQLStore
import Synchronization

/// A store that tells what delivery does with it, and fails where a test asks for it.
final class ObservedStore: BatchStore, DeliveryStore, SQLBacked {
    /// What was done.
    enum Event: Hashable, Sendable {
        case claimed(Lane, Int)
        case extended(BatchID)
        case settled(BatchID, Range<Int>)
        case released(BatchID)
        case setBack(BatchID)
        case closed(BatchID, FailureCode)
        /// Delivery has dealt with the news that batches of the notification are halted.
        case noticedHalt(NotificationID)
    }

    /// What was done from the beginning on.
    let events: AsyncStream<Event>

    private let store: any DeliveryStore & SQLBacked
    private let continuation: AsyncStream<Event>.Continuation
    private let settleFailures = Mutex<[StoreError]>([])
    private let lostAnswers = Mutex<[StoreError]>([])
    private let lostClaims = Mutex<[StoreError]>([])
    private let releaseFailures = Mutex<[StoreError]>([])
    private let handsOver = Atomic(false)
    private let endFailures = Mutex<[StoreError]>([])
    private let damagesSetbacks = Atomic(false)

    var sql: SQLDatabase { self.store.sql }

    init(_ store: any DeliveryStore & SQLBacked) {
        self.store = store
        (self.events, self.continuation) = AsyncStream.makeStream()
    }

    /// Lets the store hand batches over; otherwise each one is claimed.
    func handOver() {
        self.handsOver.store(true, ordering: .relaxed)
    }

    /// Lets every batch that is claimed have the greatest number of setbacks.
    func damageSetbacks() {
        self.damagesSetbacks.store(true, ordering: .relaxed)
    }

    /// Lets the next settlements fail, one for each error.
    func failSettling(_ errors: [StoreError]) {
        self.settleFailures.withLock { $0 += errors }
    }

    /// Lets the answers of the next settlements be lost, one for each error: they are booked all the same.
    func loseAnswers(_ errors: [StoreError]) {
        self.lostAnswers.withLock { $0 += errors }
    }

    /// Lets the answers of the next claims that lease batches be lost, one for each error.
    func loseClaims(_ errors: [StoreError]) {
        self.lostClaims.withLock { $0 += errors }
    }

    /// Lets the next releases fail, one for each error.
    func failReleasing(_ errors: [StoreError]) {
        self.releaseFailures.withLock { $0 += errors }
    }

    /// Lets the next attempts to set a batch back or to close it fail, one for each error.
    func failEnding(_ errors: [StoreError]) {
        self.endFailures.withLock { $0 += errors }
    }

    /// Waits for the next event.
    func next() async throws -> Event { try await self.events.nextElement() }

    /// Waits for the first event that meets the condition.
    func first(where condition: (Event) -> Bool) async throws { try await self.events.nextElement(where: condition) }

    /// Waits until a batch is released.
    func nextRelease() async throws {
        try await self.first { if case .released = $0 { true } else { false } }
    }

    /// Waits until all these batches are released.
    func releases(of batches: Set<BatchID>) async throws {
        var waiting = batches
        while !waiting.isEmpty {
            if case .released(let batch) = try await self.next() { waiting.remove(batch) }
        }
    }

    func beginHandOver(to taker: any DirectHandoffConsumer) {
        if self.handsOver.load(ordering: .relaxed) { self.store.beginHandOver(to: taker) }
    }

    func endHandOver(to taker: any DirectHandoffConsumer) { self.store.endHandOver(to: taker) }

    func claim(
        lane: Lane,
        room: ClaimLimits,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        var claim = try await self.store.claim(
            lane: lane,
            room: room,
            worker: worker,
            leaseDuration: leaseDuration,
            now: now
        )
        if !claim.batches.isEmpty, let error = self.lostClaims.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            throw error
        }
        if self.damagesSetbacks.load(ordering: .relaxed) {
            claim.batches = claim.batches.map { claimed in
                ClaimedBatch(
                    batch: claimed.batch,
                    cursor: claimed.cursor,
                    due: claimed.due,
                    setbacks: .max,
                    held: claimed.held,
                    isSuspect: claimed.isSuspect,
                    worker: claimed.worker,
                    leasedUntil: claimed.leasedUntil
                )
            }
        }
        self.continuation.yield(.claimed(lane, claim.batches.count))
        return claim
    }

    func extendLease(of batch: BatchID, worker: WorkerID, leaseDuration: Duration, now: Date) async throws -> Date {
        let until = try await self.store.extendLease(of: batch, worker: worker, leaseDuration: leaseDuration, now: now)
        self.continuation.yield(.extended(batch))
        return until
    }

    func settle(_ settlement: Settlement, now: Date) async throws -> SettlementResult {
        if let error = self.settleFailures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        let receipt = try await self.store.settle(settlement, now: now)
        if let error = self.lostAnswers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        self.continuation.yield(.settled(settlement.batch, settlement.range))
        return receipt
    }

    func settle(_ settlements: [Settlement], now: Date) async -> [Result<SettlementResult, any Error>] {
        var results: [Result<SettlementResult, any Error>] = []
        for settlement in settlements {
            do {
                results.append(.success(try await self.settle(settlement, now: now)))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
        if let error = self.releaseFailures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        let calledOff = try await self.store.release(batch, worker: worker, now: now)
        self.continuation.yield(.released(batch))
        return calledOff
    }

    func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        if let error = self.endFailures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        try await self.store.setBack(batch, worker: worker, until: until, now: now)
        self.continuation.yield(.setBack(batch))
    }

    func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int {
        if let error = self.endFailures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        let count = try await self.store.close(batch, worker: worker, as: code, now: now)
        self.continuation.yield(.closed(batch, code))
        return count
    }

    func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        let changes = self.store.changes(concern)
        let latest = LatestChange()
        // Whoever asks for the next change is done with the one before.
        return AsyncStream {
            if case .halted(let notification)? = latest.change { self.continuation.yield(.noticedHalt(notification)) }
            latest.change = await changes.first { _ in true }
            return latest.change
        }
    }

    private final class LatestChange: Sendable {
        private let state = Mutex<StoreChange?>(nil)

        var change: StoreChange? {
            get { self.state.withLock { $0 } }
            set { self.state.withLock { $0 = newValue } }
        }
    }
}
