// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import PushStore
import SQLite

extension SQLiteStore {
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

    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        let until = until.keptToMilliseconds
        try await self.write { database, changes in
            guard var row = try database.batch(batch) else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            let release = row.lifecycle.setBack(by: worker, until: until)
            guard release != .refused else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            _ = try database.note(release, of: row, now: now, signalling: &changes)
        }
    }

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

extension SQLiteStore {
    public func halted(among batches: [BatchID]) async throws -> Set<BatchID> {
        guard !batches.isEmpty else { return [] }
        return try await self.read { database in
            var halted: Set<BatchID> = []
            for batch in batches {
                let row = try database.row(
                    "SELECT 1 FROM batches WHERE id = ? AND halt IS NULL AND state < 3",
                    [batch.value.stored]
                )
                if row == nil { halted.insert(batch) }
            }
            return halted
        }
    }

    public func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.read { database in
            var times: [Int64] = []
            for (number, _) in try database.openKinds(in: lane) {
                let row = try database.row(
                    """
                    SELECT claimable_at FROM batches INDEXED BY batches_open
                    WHERE lane = ? AND kind = ? AND state = 2 AND claimable_at > ? ORDER BY claimable_at LIMIT 1
                    """,
                    [lane.stored, number, now.millisecondsSince1970]
                )
                if let row { times.append(try row.int64("claimable_at")) }
            }
            return times.min().map { Date(millisecondsSince1970: StoredLimit.clamp($0)) }
        }
    }

    public func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.read { database in
            let row = try database.row(
                """
                SELECT min(claimable_at) AS turn FROM batches INDEXED BY batches_unsettled
                WHERE notification = ? AND (state < 3 OR state = 7)
                HAVING min(state) = 2 AND max(state) = 2 AND min(claimable_at) > ?
                """,
                [notification.value.stored, now.millisecondsSince1970]
            )
            return try row?.clampedDate("turn")
        }
    }
}
