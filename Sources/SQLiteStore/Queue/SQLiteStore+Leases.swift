// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import PushStore
import SQLite

extension SQLiteStore {
    /// Gives a worker more time; see `BatchStore`.
    @discardableResult
    public func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        let until = now.lease(of: leaseDuration)
        return try await self.write { database in
            guard var row = try database.batch(batch), row.lifecycle.extendLease(of: worker, until: until) else {
                throw StoreError.leaseLost(batch: batch, worker: worker)
            }
            try database.update(row)
            return until
        }
    }

    /// Gives a batch back so that any worker may claim it; see `BatchStore`.
    @discardableResult
    public func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
        try await self.write { database, changes in
            guard var row = try database.batch(batch) else { return 0 }
            let release = row.lifecycle.release(by: worker)
            let isClaimable = try database.note(release, of: row, now: now, signalling: &changes)
            if isClaimable { changes.append(.batchReady(row.lane)) }
            return release.calledOff
        }
    }

    /// Gives a batch back because it could not be carried out; see `BatchStore`.
    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        let until = until.keptToMilliseconds
        try await self.write { database, changes in
            guard var row = try database.batch(batch) else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            let release = row.lifecycle.setBack(by: worker, until: until)
            guard release != .refused else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            _ = try database.note(release, of: row, now: now, signalling: &changes)
        }
    }

    /// Ends a batch before all of its targets have an outcome; see `BatchStore`.
    @discardableResult
    public func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int {
        try await self.write { database, changes in
            guard
                var row = try database.batch(batch),
                let remaining = row.lifecycle.close(by: worker, as: code)
            else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            try database.close(row, remaining: remaining, as: code, now: now, signalling: &changes)
            return remaining
        }
    }
}

extension Database {
    /// Writes back a batch that its worker gave back.
    ///
    /// - Returns: whether it can be claimed again.
    fileprivate func note(
        _ release: BatchLifecycle.Release,
        of batch: BatchRow,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> Bool {
        switch release {
        case .refused: return false
        case .returned, .paused:
            try self.update(batch)
            if batch.isActivity { try self.activities.relieve(batch, now: now, signalling: &changes) }
        case .cancelled(let remaining):
            try self.close(batch, remaining: remaining, as: .cancelled, now: now, signalling: &changes)
        }
        return release == .returned
    }
}
