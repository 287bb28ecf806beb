// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import GRDB
import Logging
public import PushModel
import PushStore

extension SQLiteStore {
    /// A batch that was leased, and whose contents are yet to be read.
    private struct Lease: Sendable {
        let batch: BatchRow
        let app: AppID
        let cursor: Int
    }

    /// Leases batches to a worker, the oldest first; see `BatchStore`.
    public func claim(
        lane: Lane,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        let until = now.addingTimeInterval(leaseDuration / .seconds(1)).keptToMilliseconds
        let limit = PageLimit.clamp(limit)
        let leases = try await self.write { database, changes in
            var leases: [Lease] = []
            while leases.count < limit {
                let rows = try database.claimable(lane: lane, limit: limit - leases.count, now: now)
                if rows.isEmpty { break }
                for row in rows {
                    var batch = try BatchRow(row: row)
                    guard let app = AppID(rawValue: row["app_id"]) else { throw StoreError.damaged("app") }
                    switch batch.lifecycle.claim(by: worker, until: until, now: now) {
                    case .granted(let cursor):
                        try database.update(batch)
                        leases.append(Lease(batch: batch, app: app, cursor: cursor))
                    case .expired(let remaining):
                        try database.close(batch, remaining: remaining, as: .expired, signalling: &changes)
                    case .refused: throw StoreError.damaged("state of a batch")
                    }
                }
            }
            return leases
        }
        // The contents never change: they are read and decoded outside of the transaction, which others wait for.
        return try await self.load(leases, worker: worker, until: until)
    }

    private func load(_ leases: [Lease], worker: WorkerID, until: Date) async throws -> [ClaimedBatch] {
        guard !leases.isEmpty else { return [] }
        let logger = self.logger
        return try await self.read { database in
            try leases.compactMap { lease in
                do {
                    guard let content = try database.content(lease.batch.content) else { return nil }
                    return ClaimedBatch(
                        batch: Batch(lease: lease.batch, app: lease.app, content: content),
                        cursor: lease.cursor,
                        worker: worker,
                        leasedUntil: until
                    )
                } catch let error as StoreError where error.code == .corrupt {
                    // One damaged batch must not keep the others from being sent; it is met again when its lease lapses.
                    logger.error(
                        "A damaged batch is left out",
                        metadata: ["batch.id": "\(lease.batch.id)", "error": "\(error)"]
                    )
                    return nil
                }
            }
        }
    }

    /// Gives a worker more time; see `BatchStore`.
    @discardableResult
    public func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date {
        let until = now.addingTimeInterval(leaseDuration / .seconds(1)).keptToMilliseconds
        return try await self.write { database in
            guard var row = try database.batch(batch), row.lifecycle.extendLease(of: worker, until: until) else {
                throw StoreError.leaseLost(batch: batch, worker: worker)
            }
            try database.update(row)
            return until
        }
    }

    /// Gives a batch back so that any worker may claim it at once; see `BatchStore`.
    public func release(_ batch: BatchID, worker: WorkerID) async throws {
        try await self.write { database, changes in
            guard var row = try database.batch(batch), row.lifecycle.release(by: worker) else { return }
            try database.update(row)
            changes = [.batchReady(row.lane)]
        }
    }
}

extension StoreError {
    /// What a worker is told that went on with a batch after its lease was gone.
    static func leaseLost(batch: BatchID, worker: WorkerID) -> StoreError {
        StoreError(
            code: .leaseLost,
            message: "Worker '\(worker)' does not hold the lease of batch \(batch) (any more): its lease lapsed and "
                + "another worker went on, or the batch was called off or removed. Stop sending it."
        )
    }
}

extension Batch {
    fileprivate init(lease: BatchRow, app: AppID, content: BatchContent) {
        self.init(
            id: lease.id,
            notification: lease.notification,
            ordinal: lease.ordinal,
            app: app,
            lane: lease.lane,
            headers: content.headers,
            payload: content.payload,
            targets: content.targets,
            createdAt: lease.createdAt,
            expiresAt: lease.lifecycle.expiresAt
        )
    }
}

extension Database {
    fileprivate func claimable(lane: Lane, limit: Int, now: Date) throws -> [Row] {
        try self.rows(
            """
            SELECT \(BatchRow.columns), apps.id AS app_id FROM batches INDEXED BY batches_open
            JOIN apps ON apps.number = batches.app
            WHERE batches.lane = ? AND batches.state < 2 AND (batches.state = 0 OR batches.leased_until <= ?)
            ORDER BY batches.id LIMIT ?
            """,
            [lane.stored, now.millisecondsSince1970, limit]
        )
    }
}

extension Date {
    /// The time as the store keeps it.
    fileprivate var keptToMilliseconds: Date { Date(millisecondsSince1970: self.millisecondsSince1970) }
}
