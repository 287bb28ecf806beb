// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import Synchronization

/// A store that tells what delivery does with it, and fails where a test asks for it.
final class ObservedStore: DeliveryStore {
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

    private let store: any DeliveryStore
    private let continuation: AsyncStream<Event>.Continuation
    private let settleFailures = Mutex<[StoreError]>([])
    private let lostAnswers = Mutex<[StoreError]>([])
    private let handsOver = Atomic(false)
    private let endFailures = Mutex<[StoreError]>([])
    private let damagesSetbacks = Atomic(false)

    init(_ store: any DeliveryStore) {
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

    func beginHandOver(to taker: any BatchTaker) {
        if self.handsOver.load(ordering: .relaxed) { self.store.beginHandOver(to: taker) }
    }

    func endHandOver(to taker: any BatchTaker) { self.store.endHandOver(to: taker) }

    func claim(
        lane: Lane,
        room: ClaimRoom,
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

    func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        if let error = self.settleFailures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        let receipt = try await self.store.settle(settlement, now: now)
        if let error = self.lostAnswers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        self.continuation.yield(.settled(settlement.batch, settlement.range))
        return receipt
    }

    func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
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

    func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try await self.store.accept(notification, batches: batches, noting: note)
    }

    func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        try await self.store.outcomes(of: batches)
    }

    func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.store.cancel(notification, now: now)
    }

    func halted(among batches: [BatchID]) async throws -> Set<BatchID> { try await self.store.halted(among: batches) }

    func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.store.nextTurn(of: notification, after: now)
    }

    func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.store.nextClaim(in: lane, after: now)
    }

    func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.store.notification(id)
    }

    func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.store.failures(of: notification, after: cursor, limit: limit)
    }

    func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.store.deadLetters(of: notification, matching: filter, after: cursor, limit: limit)
    }

    func batch(_ id: BatchID) async throws -> Batch? { try await self.store.batch(id) }

    func resend(of notification: NotificationID) async throws -> PushModel.Notification? {
        try await self.store.resend(of: notification)
    }

    func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.store.resends(of: notification)
    }

    func openBatches(of app: AppID?) async throws -> [OpenBatches] { try await self.store.openBatches(of: app) }

    func outcome(of apnsID: APNsID) async throws -> TargetOutcome? { try await self.store.outcome(of: apnsID) }

    func addCredential(_ credential: Credential) async throws { try await self.store.addCredential(credential) }

    func credentials(of app: AppID) async throws -> [Credential] { try await self.store.credentials(of: app) }

    func credential(_ id: CredentialID) async throws -> Credential? { try await self.store.credential(id) }

    func removeCredential(_ id: CredentialID) async throws -> Bool { try await self.store.removeCredential(id) }

    func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool {
        try await self.store.credentialTroubled(trouble, now: now)
    }

    func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool {
        try await self.store.credentialRecovered(subject, now: now)
    }

    func notePause(_ pause: DeliveryPause) async throws { try await self.store.notePause(pause) }

    func endPause(of line: DeliveryPause.Line) async throws { try await self.store.endPause(of: line) }

    func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [DeliveryPause] {
        try await self.store.pauses(holdingUp: notification, now: now)
    }

    func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause] {
        try await self.store.pauses(of: app, now: now)
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
