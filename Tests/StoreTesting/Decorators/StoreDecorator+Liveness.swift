// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    public func hold(_ worker: WorkerID) async throws { try await self.delegate { try await self.base.hold(worker) } }

    public func terminatedWorkers() async throws -> [WorkerID] {
        try await self.delegate { try await self.base.terminatedWorkers() }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        try await self.delegate { try await self.base.expireLeases(of: worker, now: now) }
    }

    public func tryNextSuspect(now: Date) async throws {
        try await self.delegate { try await self.base.tryNextSuspect(now: now) }
    }

    public func note(_ activities: [Int64]) async throws {
        try await self.delegate { try await self.base.note(activities) }
    }

    public func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] {
        try await self.delegate { try await self.base.dueActivities(limit: limit, now: now) }
    }

    public func forgetInterruptions(ofActivities numbers: [Int64]) async throws {
        try await self.delegate { try await self.base.forgetInterruptions(ofActivities: numbers) }
    }
}
