// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A store that never signals, like one whose notifications another process settles.
struct SilentStore: APIKeyStore, AppStore, BatchStore, CredentialStore, DeviceStore, StoreHealth, StoreSignals {
    let base: any PushStore

    /// What happens instead of a write when the store is checked.
    var check: (@Sendable () async throws -> Void)?

    func changes() -> AsyncStream<StoreChange> { AsyncStream { _ in } }
    func checkWritable() async throws {
        if let check { try await check() } else { try await self.base.checkWritable() }
    }

    func key(_ id: APIKeyID) async throws -> APIKey? { try await self.base.key(id) }
    func createApp(_ app: App) async throws { try await self.base.createApp(app) }
    func app(_ id: AppID) async throws -> App? { try await self.base.app(id) }
    func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID> {
        try await self.base.apps(after: cursor, limit: limit)
    }
    func deleteApp(_ id: AppID) async throws -> Bool { try await self.base.deleteApp(id) }

    func addCredential(_ credential: Credential) async throws { try await self.base.addCredential(credential) }
    func credentials(of app: AppID) async throws -> [Credential] { try await self.base.credentials(of: app) }
    func credential(_ id: CredentialID) async throws -> Credential? { try await self.base.credential(id) }
    func removeCredential(_ id: CredentialID) async throws -> Bool { try await self.base.removeCredential(id) }

    func createKey(_ key: APIKey) async throws { try await self.base.createKey(key) }
    func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID> {
        try await self.base.keys(after: cursor, limit: limit)
    }
    func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool { try await self.base.revokeKey(id, now: now) }

    func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        try await self.base.register(registration, now: now)
    }
    func register(_ registrations: [DeviceRegistration], now: Date) async throws {
        try await self.base.register(registrations, now: now)
    }
    func device(_ installation: InstallationID, of app: AppID) async throws -> Device? {
        try await self.base.device(installation, of: app)
    }
    func devices(
        of app: AppID,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        try await self.base.devices(of: app, after: cursor, limit: limit)
    }
    func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool {
        try await self.base.removeDevice(installation, of: app)
    }
    func targets(of app: AppID, installations: [InstallationID]) async throws -> [InstallationID: Target] {
        try await self.base.targets(of: app, installations: installations)
    }
    func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] {
        try await self.base.targets(of: app, users: users)
    }

    func accept(_ notification: PushModel.Notification, batches: [Batch]) async throws {
        try await self.base.accept(notification, batches: batches)
    }
    func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        try await self.base.claim(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
    }
    func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        try await self.base.extendLease(of: batch, worker: worker, leaseDuration: leaseDuration, now: now)
    }
    func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        try await self.base.settle(settlement, now: now)
    }
    func release(_ batch: BatchID, worker: WorkerID) async throws { try await self.base.release(batch, worker: worker) }
    func setBack(_ batch: BatchID, worker: WorkerID, until: Date) async throws {
        try await self.base.setBack(batch, worker: worker, until: until)
    }
    func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode) async throws -> Int {
        try await self.base.close(batch, worker: worker, as: code)
    }
    func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.base.cancel(notification, now: now)
    }
    func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try await self.base.notification(id)
    }
    func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.base.failures(of: notification, after: cursor, limit: limit)
    }
    func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try await self.base.deadLetters(of: notification, matching: filter, after: cursor, limit: limit)
    }
    func batch(_ id: BatchID) async throws -> Batch? { try await self.base.batch(id) }
    func resend(of notification: NotificationID) async throws -> NotificationID? {
        try await self.base.resend(of: notification)
    }
    func openBatches(of app: AppID?) async throws -> [OpenBatches] { try await self.base.openBatches(of: app) }
    func outcome(of apnsID: APNsID) async throws -> TargetOutcome? { try await self.base.outcome(of: apnsID) }
}
