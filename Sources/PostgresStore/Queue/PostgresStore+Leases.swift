// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import PushStore

extension PostgresStore {
    /// Gives a worker more time; see `BatchStore`.
    @discardableResult
    public func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        let until = now.lease(of: leaseDuration)
        return try await self.write { connection in
            guard var row = try connection.lockedBatch(batch), row.lifecycle.extendLease(of: worker, until: until)
            else {
                throw StoreError.leaseLost(batch: batch, worker: worker)
            }
            try connection.update(row)
            return until
        }
    }

    /// Gives a batch back so that any worker may claim it; see `BatchStore`.
    public func release(_ batch: BatchID, worker: WorkerID) async throws {
        try await self.write { connection, changes in
            guard var row = try connection.lockedBatch(batch), row.lifecycle.release(by: worker) else { return }
            try connection.update(row)
            changes = [.batchReady(row.lane)]
        }
    }

    /// Gives a batch back because it could not be carried out; see `BatchStore`.
    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date) async throws {
        let until = until.keptToMilliseconds
        try await self.write { connection in
            guard var row = try connection.lockedBatch(batch), row.lifecycle.setBack(by: worker, until: until) else {
                throw StoreError.leaseLost(batch: batch, worker: worker)
            }
            try connection.update(row)
        }
    }

    /// Ends a batch before all of its targets have an outcome; see `BatchStore`.
    @discardableResult
    public func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode) async throws -> Int {
        try await self.write { connection, changes in
            guard
                var row = try connection.lockedBatch(batch),
                let remaining = row.lifecycle.close(by: worker, as: code)
            else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            let end = try connection.close(row, remaining: remaining, as: code)
            try connection.commit()
            changes = try end.changes
            return remaining
        }
    }
}
