// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

/// The operations that are written for each database.
extension StoreDecorator {
    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        self.base.changes(concern)
    }

    public func checkWritable() async throws { try await self.delegate { try await self.base.checkWritable() } }

    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        try await self.delegate { try await self.base.deleteApp(id) }
    }

    public func hold(_ worker: WorkerID) async throws { try await self.delegate { try await self.base.hold(worker) } }

    public func terminatedWorkers() async throws -> [WorkerID] {
        try await self.delegate { try await self.base.terminatedWorkers() }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        try await self.delegate { try await self.base.expireLeases(of: worker, now: now) }
    }

    public func note(_ activities: [Int64]) async throws {
        try await self.delegate { try await self.base.note(activities) }
    }
}
