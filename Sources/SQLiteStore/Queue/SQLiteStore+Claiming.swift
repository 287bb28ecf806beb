// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import GRDB
import Logging
public import PushModel
public import PushStore

extension SQLiteStore {
    /// A batch that was leased, and whose contents are yet to be read.
    private struct Lease: Sendable {
        let batch: BatchRow
        let app: AppID
        let due: [Deferral]
    }

    /// Leases batches to a worker, of each kind the oldest first; see `BatchStore`.
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        let until = now.addingTimeInterval(leaseDuration / .seconds(1)).keptToMilliseconds
        let logger = self.logger
        let leases = try await self.write(in: lane) { database, changes in
            var leases: [Lease] = []
            var room = room
            room.total = PageLimit.clamp(room.total)
            while room.total > 0 {
                let candidates = try database.claimable(lane: lane, room: room, now: now)
                if candidates.isEmpty { break }
                for (row, kind) in candidates {
                    guard var batch = try? BatchRow(row: row) else {
                        try database.condemn(row, now: now, signalling: &changes, logger: logger)
                        continue
                    }
                    switch batch.lifecycle.claim(by: worker, until: until, now: now) {
                    case .granted(_, let due):
                        try database.update(batch)
                        leases.append(Lease(batch: batch, app: kind.app, due: due))
                        room.total -= 1
                        room.kinds[kind] = room.limit(for: kind) - 1
                    case .expired(let remaining):
                        try database.close(batch, remaining: remaining, as: .expired, now: now, signalling: &changes)
                    case .cancelled(let remaining):
                        try database.close(batch, remaining: remaining, as: .cancelled, now: now, signalling: &changes)
                    case .postponed, .paused: try database.update(batch)
                    case .refused: throw StoreError.damaged("state of a batch")
                    }
                }
            }
            return leases
        }
        // The contents never change: they are read and decoded outside of the transaction, which others wait for.
        return try await self.load(leases, worker: worker, until: until, now: now)
    }

    private func load(_ leases: [Lease], worker: WorkerID, until: Date, now: Date) async throws -> [ClaimedBatch] {
        guard !leases.isEmpty else { return [] }
        let contents = try await self.read { database in
            leases.map { lease in
                Result { try database.content(lease.batch.content) }
            }
        }
        var claimed: [ClaimedBatch] = []
        for (lease, content) in zip(leases, contents) {
            do {
                guard let content = try content.get() else { continue }
                claimed.append(
                    ClaimedBatch(
                        batch: Batch(lease.batch, app: lease.app, content: content),
                        cursor: lease.batch.lifecycle.cursor,
                        due: lease.due,
                        setbacks: lease.batch.lifecycle.setbacks,
                        worker: worker,
                        leasedUntil: until
                    )
                )
            } catch {
                try await self.leaveOut(lease.batch.id, worker: worker, error, now: now)
            }
        }
        return claimed
    }

    /// Ends a batch whose contents are damaged, since it would be claimed for ever.
    private func leaveOut(_ batch: BatchID, worker: WorkerID, _ error: any Error, now: Date) async throws {
        let error = self.translating(error)
        guard let failure = error as? StoreError, failure.code == .corrupt else { throw error }
        self.logger.error("A damaged batch has failed", metadata: ["batch.id": "\(batch)", "error": "\(failure)"])
        try await self.close(batch, worker: worker, as: .damaged, now: now)
    }
}

extension Database {
    /// Batches that may be claimed, the oldest first: at most as many as there is room for in all and of each kind.
    fileprivate func claimable(lane: Lane, room: ClaimRoom, now: Date) throws -> [(row: Row, kind: BatchKind)] {
        var found: [(id: [UInt8], row: Row, kind: BatchKind)] = []
        for (number, kind) in try self.openKinds(in: lane) {
            let limit = min(room.total, room.limit(for: kind))
            guard limit > 0 else { continue }
            for state in 0...2 {
                let rows = try self.rows(
                    """
                    SELECT \(BatchRow.columns) FROM batches INDEXED BY batches_open
                    WHERE lane = ? AND kind = ? AND state = ? AND claimable_at <= ?
                    ORDER BY claimable_at, id LIMIT ?
                    """,
                    [lane.stored, number, state, now.millisecondsSince1970, limit]
                )
                found += rows.map { ($0.bytes("id"), $0, kind) }
            }
        }
        // Of a kind there are candidates of three states: together they may be too many.
        var room = room
        var candidates: [(row: Row, kind: BatchKind)] = []
        for candidate in found.sorted(by: { $0.id.lexicographicallyPrecedes($1.id) }) {
            let limit = room.limit(for: candidate.kind)
            guard limit > 0, candidates.count < room.total else { continue }
            room.kinds[candidate.kind] = limit - 1
            candidates.append((candidate.row, candidate.kind))
        }
        return candidates
    }

    /// Ends a batch whose row cannot be read, since it would keep all others of its kind from being claimed.
    fileprivate func condemn(
        _ row: Row,
        now: Date,
        signalling changes: inout [StoreChange],
        logger: Logger
    ) throws {
        let id = Data(row.bytes("id"))
        let name = APNsID(stored: [UInt8](id))?.description ?? "unreadable"
        logger.error("A damaged batch has failed", metadata: ["batch.id": "\(name)"])
        try self.run(
            "UPDATE batches SET state = 6, claimable_at = NULL, deferred = NULL, failure = ? WHERE id = ?",
            [FailureCode.damaged.rawValue, id]
        )
        let found = try self.row("SELECT \(BatchRow.columns) FROM batches WHERE id = ?", [id])
        guard let batch = try? found.map(BatchRow.init(row:)) else { return }
        let remaining = batch.lifecycle.targetCount - (try self.counts(of: batch).total)
        try self.close(batch, remaining: remaining, as: .damaged, now: now, signalling: &changes)
    }
}
