// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func hold(_ worker: WorkerID) async throws { try await self.forward { try await self.base.hold(worker) } }

    /// Asks the store that does the work.
    public func terminatedWorkers() async throws -> [WorkerID] {
        try await self.forward { try await self.base.terminatedWorkers() }
    }

    /// Asks the store that does the work.
    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [String: Int] {
        try await self.forward { try await self.base.expireLeases(of: worker, now: now) }
    }
}
