// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLStore
import Synchronization

extension SQLiteStore: WorkerLiveness {
    /// The wait before another attempt to lock the own file, which another process holds while it looks at it.
    private static let retryDelay = Duration.milliseconds(20)

    public func hold(_ worker: WorkerID) async throws {
        try self.workerLocks.prepare()
        var held: WorkerLockFile?
        while held == nil {
            held = try self.workerLocks.lock(worker, creates: true)
            if held == nil { try await Task.sleep(for: Self.retryDelay) }
        }
        self.heldLock.withLock { $0 = held }
        defer { self.heldLock.withLock { $0 = nil } }
        // Ends when the task is cancelled or the store is closed.
        for await _ in self.broadcast.changes({ _ in false }) {}
        if Task.isCancelled { held?.remove() }
    }

    public func terminatedWorkers() async throws -> [WorkerID] {
        // The own file is locked too, by another descriptor.
        try self.workerLocks.workers().filter { try self.workerLocks.lock($0, creates: false) != nil }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        // Held until the commit, so that no other process expires them too.
        guard let lock = try self.workerLocks.lock(worker, creates: false) else { return [:] }
        let activities = lock.note()
        let expired = try await self.sql.write { try $0.expireLeases(of: worker, noted: activities, now: now) }
        lock.remove()
        return expired
    }

    public func note(_ activities: [Int64]) async throws {
        self.heldLock.withLock { $0 }?.write(activities)
    }
}
