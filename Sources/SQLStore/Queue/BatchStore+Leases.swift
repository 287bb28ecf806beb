// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    public func leasedBatches(in lane: Lane, to worker: WorkerID, now: Date) async throws -> [BatchID] {
        try await self.sql.read { reader in
            let rows = try reader.rows(
                """
                SELECT id FROM batches\(SQL.openIndex) WHERE lane = \(lane.stored)
                    AND kind IN (SELECT number FROM batch_kinds) AND state = 1 AND claimable_at > \(now)
                    AND worker = \(worker)
                """
            )
            return try rows.compactMap { APNsID(stored: try $0.blob("id")).flatMap(BatchID.init) }
        }
    }

    public func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write { transaction in
            guard var row = try transaction.lockedBatch(batch), row.lifecycle.extendLease(of: worker, until: until)
            else { throw StoreError.leaseLost("batch \(batch)", holder: worker) }
            try transaction.update(row)
            return until
        }
    }

    public func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int {
        try await self.change(batch, now: now) { transaction, row in
            guard var row else { return 0 }
            let release = row.lifecycle.release(by: worker)
            try transaction.write(row, after: release, now: now)
            if release == .returned { transaction.signal(.batchReady(row.lane)) }
            return release.calledOff
        }
    }

    public func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws {
        let until = until.keptToMilliseconds
        try await self.change(batch, now: now) { transaction, row in
            guard var row else { throw StoreError.leaseLost("batch \(batch)", holder: worker) }
            let release = row.lifecycle.setBack(by: worker, until: until)
            guard release != .refused else { throw StoreError.leaseLost("batch \(batch)", holder: worker) }
            try transaction.write(row, after: release, now: now)
        }
    }

    public func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int {
        try await self.change(batch, now: now) { transaction, row in
            guard var row, let remaining = row.lifecycle.close(by: worker, as: code) else {
                throw StoreError.leaseLost("batch \(batch)", holder: worker)
            }
            try transaction.close(row, remaining: remaining, as: code, now: now)
            return remaining
        }
    }

    /// Changes a batch, which is `nil` if there is none, and then the activities that wait for it.
    private func change<Value: Sendable>(
        _ batch: BatchID,
        now: Date,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction, BatchRow?) throws -> Value
    ) async throws -> Value {
        let (value, needsRelief) = try await self.sql.write(operation: operation) { transaction in
            let row = try transaction.lockedBatch(batch)
            let isMarked = transaction.dialect == .postgres && row?.isActivity == true
            return (try body(transaction, row), isMarked)
        }
        if needsRelief { try await self.sql.relieveActivities(waitingFor: batch, now: now) }
        return value
    }

    public func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.sql.write { transaction in
            let batches = try transaction.lockUnsettledBatches(of: notification)
            let known = try transaction.first("SELECT 1 FROM notifications WHERE id = \(notification.value)")
            if known == nil { return nil }
            return try transaction.halt(transaction.readableBatches(batches.rows), .cancel, now: now)
        }
    }

    public func halted(among batches: [BatchID]) async throws -> Set<BatchID> {
        guard !batches.isEmpty else { return [] }
        let batches = Set(batches)
        return try await self.sql.read { reader in
            let rows = try reader.rows(
                "SELECT id FROM batches WHERE id \(each: batches.map(\.value)) AND halt IS NULL AND state < 3"
            )
            return batches.subtracting(try rows.compactMap { APNsID(stored: try $0.blob("id")).flatMap(BatchID.init) })
        }
    }

    public func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        let next = SQLStatement.nextClaim([.number(lane.stored), .time(now)])
        return try await self.sql.read { try $0.first(next)?.clampedDate("claimable_at") }
    }

    public func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date? {
        try await self.sql.read { reader in
            try reader.first(
                """
                SELECT min(claimable_at) AS turn FROM batches\(sqlite: " INDEXED BY batches_unsettled")
                WHERE notification = \(notification.value) AND (state < 3 OR state = 7)
                HAVING min(state) = 2 AND max(state) = 2 AND min(claimable_at) > \(now)
                """
            )?.clampedDate("turn")
        }
    }
}

extension SQLTransaction {
    fileprivate func write(_ batch: BatchRow, after release: BatchLifecycle.Release, now: Date) throws {
        switch release {
        case .refused: break
        case .returned, .paused:
            try self.update(batch)
            try self.updateActivities(waitingFor: batch, now: now)
        case .cancelled(let remaining): try self.close(batch, remaining: remaining, as: .cancelled, now: now)
        }
    }
}
