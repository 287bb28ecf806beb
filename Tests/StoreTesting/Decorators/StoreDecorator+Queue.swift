// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try await self.delegate { try await self.base.accept(notification, batches: batches, noting: note) }
    }

    public func beginHandOver(to taker: any BatchTaker) { self.base.beginHandOver(to: taker) }

    public func endHandOver(to taker: any BatchTaker) { self.base.endHandOver(to: taker) }

    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        try await self.delegate {
            try await self.base.claim(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
        }
    }

    @discardableResult
    public func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        try await self.delegate {
            try await self.base.extendLease(of: batch, worker: worker, leaseDuration: leaseDuration, now: now)
        }
    }

    @discardableResult
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        try await self.delegate { try await self.base.settle(settlement, now: now) }
    }

    @discardableResult
    public func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
        try await self.delegate { try await self.base.release(batch, worker: worker, now: now) }
    }

    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        try await self.delegate { try await self.base.setBack(batch, worker: worker, until: until, now: now) }
    }

    @discardableResult
    public func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int {
        try await self.delegate { try await self.base.close(batch, worker: worker, as: code, now: now) }
    }

    @discardableResult
    public func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.delegate { try await self.base.cancel(notification, now: now) }
    }

    public func halted(among batches: [BatchID]) async throws -> Set<BatchID> {
        try await self.delegate { try await self.base.halted(among: batches) }
    }

    public func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.delegate { try await self.base.nextTurn(of: notification, after: now) }
    }

    public func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.delegate { try await self.base.nextClaim(in: lane, after: now) }
    }

    public func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.delegate { try await self.base.notification(id) }
    }

    public func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.delegate { try await self.base.failures(of: notification, after: cursor, limit: limit) }
    }

    public func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.delegate {
            try await self.base.deadLetters(of: notification, matching: filter, after: cursor, limit: limit)
        }
    }

    public func batch(_ id: BatchID) async throws -> Batch? {
        try await self.delegate { try await self.base.batch(id) }
    }

    public func resend(of notification: NotificationID) async throws -> PushModel.Notification? {
        try await self.delegate { try await self.base.resend(of: notification) }
    }

    public func resends(of notification: NotificationID) async throws -> [PushModel.Notification] {
        try await self.delegate { try await self.base.resends(of: notification) }
    }

    public func openBatches(of app: AppID?) async throws -> [OpenBatches] {
        try await self.delegate { try await self.base.openBatches(of: app) }
    }

    public func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        try await self.delegate { try await self.base.outcome(of: apnsID) }
    }

    public func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        try await self.delegate { try await self.base.outcomes(of: batches) }
    }
}
