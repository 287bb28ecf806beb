// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func hold(_ worker: WorkerID) async throws { try await self.forward { try await self.base.hold(worker) } }

    /// Asks the store that does the work.
    public func terminatedWorkers() async throws -> [WorkerID]? {
        try await self.forward { try await self.base.terminatedWorkers() }
    }

    /// Asks the store that does the work.
    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        try await self.forward { try await self.base.expireLeases(of: worker, now: now) }
    }

    /// Asks the store that does the work.
    public func tryNextSuspect(now: Date) async throws {
        try await self.forward { try await self.base.tryNextSuspect(now: now) }
    }

    /// Asks the store that does the work.
    public func note(_ activities: [Int64]) async throws {
        try await self.forward { try await self.base.note(activities) }
    }

    /// Asks the store that does the work.
    public func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] {
        try await self.forward { try await self.base.dueActivities(limit: limit, now: now) }
    }

    /// Asks the store that does the work.
    public func forgetInterruptions(ofActivities numbers: [Int64]) async throws {
        try await self.forward { try await self.base.forgetInterruptions(ofActivities: numbers) }
    }
}
