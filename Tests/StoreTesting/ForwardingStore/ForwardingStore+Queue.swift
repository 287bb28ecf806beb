// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try await self.forward { try await self.base.accept(notification, batches: batches, noting: note) }
    }

    /// Asks the store that does the work.
    public func beginHandOver(to taker: any BatchTaker) { self.base.beginHandOver(to: taker) }

    /// Asks the store that does the work.
    public func endHandOver(to taker: any BatchTaker) { self.base.endHandOver(to: taker) }

    /// Asks the store that does the work.
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        try await self.forward {
            try await self.base.claim(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
        }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        try await self.forward {
            try await self.base.extendLease(of: batch, worker: worker, leaseDuration: leaseDuration, now: now)
        }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        try await self.forward { try await self.base.settle(settlement, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
        try await self.forward { try await self.base.release(batch, worker: worker, now: now) }
    }

    /// Asks the store that does the work.
    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        try await self.forward { try await self.base.setBack(batch, worker: worker, until: until, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int {
        try await self.forward { try await self.base.close(batch, worker: worker, as: code, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.forward { try await self.base.cancel(notification, now: now) }
    }

    /// Asks the store that does the work.
    public func halted(among batches: [BatchID]) async throws -> Set<BatchID> {
        try await self.forward { try await self.base.halted(among: batches) }
    }

    /// Asks the store that does the work.
    public func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.forward { try await self.base.nextTurn(of: notification, after: now) }
    }

    /// Asks the store that does the work.
    public func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.forward { try await self.base.nextClaim(in: lane, after: now) }
    }

    /// Asks the store that does the work.
    public func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.forward { try await self.base.notification(id) }
    }

    /// Asks the store that does the work.
    public func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.forward { try await self.base.failures(of: notification, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    public func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.forward {
            try await self.base.deadLetters(of: notification, matching: filter, after: cursor, limit: limit)
        }
    }

    /// Asks the store that does the work.
    public func batch(_ id: BatchID) async throws -> Batch? { try await self.forward { try await self.base.batch(id) } }

    /// Asks the store that does the work.
    public func resend(of notification: NotificationID) async throws -> PushModel.Notification? {
        try await self.forward { try await self.base.resend(of: notification) }
    }

    /// Asks the store that does the work.
    public func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.forward { try await self.base.resends(of: notification) }
    }

    /// Asks the store that does the work.
    public func openBatches(of app: AppID?) async throws -> [OpenBatches] {
        try await self.forward { try await self.base.openBatches(of: app) }
    }

    /// Asks the store that does the work.
    public func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        try await self.forward { try await self.base.outcome(of: apnsID) }
    }

    /// Asks the store that does the work.
    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        try await self.forward { try await self.base.outcomes(of: batches) }
    }
}
