// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func createApp(_ app: App) async throws { try await self.forward { try await self.base.createApp(app) } }

    /// Asks the store that does the work.
    public func app(_ id: AppID) async throws -> App? { try await self.forward { try await self.base.app(id) } }

    /// Asks the store that does the work.
    public func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID> {
        try await self.forward { try await self.base.apps(after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        try await self.forward { try await self.base.deleteApp(id) }
    }

    /// Asks the store that does the work.
    public func addCredential(_ credential: Credential) async throws {
        try await self.forward { try await self.base.addCredential(credential) }
    }

    /// Asks the store that does the work.
    public func credentials(of app: AppID) async throws -> [Credential] {
        try await self.forward { try await self.base.credentials(of: app) }
    }

    /// Asks the store that does the work.
    public func credential(_ id: CredentialID) async throws -> Credential? {
        try await self.forward { try await self.base.credential(id) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func removeCredential(_ id: CredentialID) async throws -> Bool {
        try await self.forward { try await self.base.removeCredential(id) }
    }

    /// Asks the store that does the work.
    public func createKey(_ key: APIKey) async throws { try await self.forward { try await self.base.createKey(key) } }

    /// Asks the store that does the work.
    public func key(_ id: APIKeyID) async throws -> APIKey? { try await self.forward { try await self.base.key(id) } }

    /// Asks the store that does the work.
    public func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID> {
        try await self.forward { try await self.base.keys(after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool {
        try await self.forward { try await self.base.revokeKey(id, now: now) }
    }

    /// Asks the store that does the work.
    public func sealedValues(
        in table: SealedTable,
        after cursor: SealedItem?,
        limit: Int
    ) async throws -> Page<SealedValue, SealedItem> {
        try await self.forward { try await self.base.sealedValues(in: table, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        try await self.forward { try await self.base.replaceSealed(item, old: old, new: new) }
    }

    /// Asks the store that does the work.
    public func markKeysUsed(_ uses: [APIKeyID: Date]) async throws {
        try await self.forward { try await self.base.markKeysUsed(uses) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool {
        try await self.forward { try await self.base.credentialTroubled(trouble, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool {
        try await self.forward { try await self.base.credentialRecovered(subject, now: now) }
    }

    /// Asks the store that does the work.
    public func notePause(_ pause: DeliveryPause) async throws {
        try await self.forward { try await self.base.notePause(pause) }
    }

    /// Asks the store that does the work.
    public func endPause(of line: DeliveryPause.Line) async throws {
        try await self.forward { try await self.base.endPause(of: line) }
    }

    /// Asks the store that does the work.
    public func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [DeliveryPause] {
        try await self.forward { try await self.base.pauses(holdingUp: notification, now: now) }
    }

    /// Asks the store that does the work.
    public func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause] {
        try await self.forward { try await self.base.pauses(of: app, now: now) }
    }
}
