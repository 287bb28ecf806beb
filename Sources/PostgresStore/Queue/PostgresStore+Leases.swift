// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
import PushStore

extension PostgresStore {
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

    @discardableResult
    public func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
        let (calledOff, isActivity) = try await self.write { connection, changes in
            guard var row = try connection.lockedBatch(batch) else { return (0, false) }
            let release = row.lifecycle.release(by: worker)
            changes = try connection.note(release, of: row, now: now)
            if release == .returned { changes.append(.batchReady(row.lane)) }
            return (release.calledOff, row.isActivity)
        }
        if isActivity { try await self.relieveActivities(waitingFor: batch, now: now) }
        return calledOff
    }

    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        let until = until.keptToMilliseconds
        let isActivity = try await self.write { connection, changes in
            guard var row = try connection.lockedBatch(batch) else {
                throw StoreError.leaseLost(batch: batch, worker: worker)
            }
            let release = row.lifecycle.setBack(by: worker, until: until)
            guard release != .refused else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            changes = try connection.note(release, of: row, now: now)
            return row.isActivity
        }
        if isActivity { try await self.relieveActivities(waitingFor: batch, now: now) }
    }

    @discardableResult
    public func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int {
        let (remaining, isActivity) = try await self.write { connection, changes in
            guard
                var row = try connection.lockedBatch(batch),
                let remaining = row.lifecycle.close(by: worker, as: code)
            else { throw StoreError.leaseLost(batch: batch, worker: worker) }
            changes = try connection.finish(row, remaining: remaining, as: code, now: now)
            return (remaining, row.isActivity)
        }
        if isActivity { try await self.relieveActivities(waitingFor: batch, now: now) }
        return remaining
    }

    public func halted(among batches: [BatchID]) async throws -> Set<BatchID> {
        guard !batches.isEmpty else { return [] }
        return try await self.read { connection in
            let rows = try connection.rows(
                "SELECT id FROM batches WHERE id = ANY($1::uuid[]) AND halt IS NULL AND state < 3",
                [.ids(batches.map(\.value))]
            )
            let going = try rows.compactMap { APNsID(stored: try $0.blob("id")).flatMap(BatchID.init) }
            return Set(batches).subtracting(going)
        }
    }

    public func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.read { connection in
            try connection.row(
                PostgresConnection.nextClaimQuery,
                [.number(lane.stored), .integer(now.millisecondsSince1970)]
            )?.clampedDate("claimable_at")
        }
    }

    public func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.read { connection in
            try connection.row(
                """
                SELECT min(claimable_at) AS turn FROM batches WHERE notification = $1 AND (state < 3 OR state = 7)
                HAVING min(state) = 2 AND max(state) = 2 AND min(claimable_at) > $2
                """,
                [.id(notification.value), .integer(now.millisecondsSince1970)]
            )?.clampedDate("turn")
        }
    }
}

extension PostgresConnection {
    /// Writes back a batch that its worker gave back.
    ///
    /// - Returns: what subscribers are told if it ends by that.
    fileprivate func note(_ release: BatchLifecycle.Release, of batch: BatchRow, now: Date) throws -> [StoreChange] {
        switch release {
        case .refused: return []
        case .returned, .paused:
            try self.update(batch)
            try self.markForRelief(batch, hasFailures: false)
            return []
        case .cancelled(let remaining):
            return try self.finish(batch, remaining: remaining, as: .cancelled, now: now)
        }
    }

    /// Ends a batch, and the transaction.
    ///
    /// - Returns: what subscribers are told.
    fileprivate func finish(
        _ batch: BatchRow,
        remaining: Int,
        as code: FailureCode,
        now: Date
    ) throws -> [StoreChange] {
        var ends = BatchEnds()
        try self.close(batch, remaining: remaining, as: code, &ends)
        let settled = try self.count(off: ends)
        var news = FeedNews()
        try self.tell(of: settled, now: now, in: &news)
        return try settled.changes + self.commit(news)
    }
}
