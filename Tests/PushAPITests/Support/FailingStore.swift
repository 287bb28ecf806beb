// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A store that fails at everything but finding keys.
struct FailingStore: APIKeyStore, AppStore, BatchStore, CredentialStore, DeviceStore, StoreHealth, StoreSignals {
    let base: any PushStore
    let error: any Error & Sendable

    func key(_ id: APIKeyID) async throws -> APIKey? { try await self.base.key(id) }
    func changes() -> AsyncStream<StoreChange> { self.base.changes() }
    func checkWritable() async throws { throw self.error }

    func createApp(_ app: App) async throws { throw self.error }
    func app(_ id: AppID) async throws -> App? { throw self.error }
    func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID> { throw self.error }
    func deleteApp(_ id: AppID) async throws -> Bool { throw self.error }

    func addCredential(_ credential: Credential) async throws { throw self.error }
    func credentials(of app: AppID) async throws -> [Credential] { throw self.error }
    func credential(_ id: CredentialID) async throws -> Credential? { throw self.error }
    func removeCredential(_ id: CredentialID) async throws -> Bool { throw self.error }

    func createKey(_ key: APIKey) async throws { throw self.error }
    func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID> { throw self.error }
    func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool { throw self.error }

    func register(_ registration: DeviceRegistration, now: Date) async throws -> Device { throw self.error }
    func register(_ registrations: [DeviceRegistration], now: Date) async throws { throw self.error }
    func device(_ installation: InstallationID, of app: AppID) async throws -> Device? { throw self.error }
    func devices(
        of app: AppID,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> { throw self.error }
    func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool { throw self.error }
    func targets(of app: AppID, installations: [InstallationID]) async throws -> [InstallationID: Target] {
        throw self.error
    }
    func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] { throw self.error }

    func accept(_ notification: PushModel.Notification, batches: [Batch]) async throws { throw self.error }
    func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] { throw self.error }
    func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date { throw self.error }
    func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt { throw self.error }
    func release(_ batch: BatchID, worker: WorkerID) async throws { throw self.error }
    func setBack(_ batch: BatchID, worker: WorkerID, until: Date) async throws { throw self.error }
    func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode) async throws -> Int { throw self.error }
    func cancel(_ notification: NotificationID, now: Date) async throws -> Int? { throw self.error }
    func notification(_ id: NotificationID) async throws -> NotificationStatus? { throw self.error }
    func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> { throw self.error }
    func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> { throw self.error }
    func batch(_ id: BatchID) async throws -> Batch? { throw self.error }
    func resend(of notification: NotificationID) async throws -> NotificationID? { throw self.error }
    func openBatches(of app: AppID?) async throws -> [OpenBatches] { throw self.error }
    func outcome(of apnsID: APNsID) async throws -> TargetOutcome? { throw self.error }
}
