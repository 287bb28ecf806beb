// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import GRDB
import Logging
public import PushModel
public import PushStore

extension SQLiteStore {
    /// Leases batches to a worker, of each kind the oldest first; see `BatchStore`.
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        // Rows keep milliseconds: by a finer time one that is due by its index would not be due by its state.
        let now = now.keptToMilliseconds
        let until = now.lease(of: leaseDuration)
        let logger = self.logger
        let leases = try await self.write(in: lane) { database, changes in
            var leases: [StoredLease] = []
            var room = room
            room.total = PageLimit.clamp(room.total)
            while room.total > 0 {
                let candidates = try database.claimable(lane: lane, room: room, now: now)
                if candidates.isEmpty { break }
                for candidate in candidates {
                    var batch: BatchRow
                    do {
                        batch = try BatchRow(stored: candidate.row)
                    } catch {
                        logger.noteDamage(of: candidate, "\(error)")
                        try database.condemn(candidate.row, now: now, signalling: &changes)
                        continue
                    }
                    switch batch.lifecycle.claim(by: worker, until: until, now: now) {
                    case .granted(_, let due):
                        try database.update(batch)
                        leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
                        _ = room.take(candidate.kind)
                    case .expired(let remaining):
                        try database.close(batch, remaining: remaining, as: .expired, now: now, signalling: &changes)
                    case .cancelled(let remaining):
                        try database.close(batch, remaining: remaining, as: .cancelled, now: now, signalling: &changes)
                    case .postponed:
                        try database.update(batch)
                        // What its last worker left is given up where something newer waits for it.
                        if batch.isActivity { try database.activities.relieve(batch, now: now, signalling: &changes) }
                    case .paused: try database.update(batch)
                    case .refused:
                        logger.noteDamage(of: candidate, "it is \(batch.lifecycle.state) at \(now)")
                        try database.condemn(candidate.row, now: now, signalling: &changes)
                    }
                }
            }
            return leases
        }
        // The contents never change: they are read and decoded outside of the transaction, which others wait for.
        return try await self.load(leases, worker: worker, now: now)
    }

    private func load(_ leases: [StoredLease], worker: WorkerID, now: Date) async throws -> [ClaimedBatch] {
        guard !leases.isEmpty else { return [] }
        let contents: [Result<BatchContent?, any Error>]
        do {
            contents = try await self.read { database in
                leases.map { lease in
                    Result { try database.content(of: lease.batch) }
                }
            }
        } catch {
            // Nobody else has to wait for the leases to lapse.
            for lease in leases { try? await self.release(lease.batch.id, worker: worker, now: now) }
            throw error
        }
        var claimed: [ClaimedBatch] = []
        for (lease, content) in zip(leases, contents) {
            do {
                guard let content = try content.get(), let batch = lease.claimed(content, by: worker) else { continue }
                claimed.append(batch)
            } catch {
                await self.leaveOut(lease.batch.id, worker: worker, error, now: now)
            }
        }
        return claimed
    }

    /// Ends a batch whose contents are damaged, since it would be claimed for ever.
    ///
    /// Where that fails its lease lapses, and it is claimed again: the batches claimed with it are sent all the same.
    private func leaveOut(_ batch: BatchID, worker: WorkerID, _ error: any Error, now: Date) async {
        do {
            let error = self.translating(error)
            guard let failure = error as? StoreError, failure.code == .corrupt else { throw error }
            try await self.close(batch, worker: worker, as: .damaged, now: now)
            self.logger.error("A damaged batch has failed", metadata: ["batch.id": "\(batch)", "error": "\(failure)"])
        } catch {
            self.logger.error(
                "A batch that cannot be read waits for its lease to lapse",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}

extension Database {
    /// Batches that may be claimed, the oldest first: at most as many as there is room for in all and of each kind.
    fileprivate func claimable(lane: Lane, room: ClaimRoom, now: Date) throws -> [ClaimCandidate<Row>] {
        var found: [ClaimCandidate<Row>] = []
        for (number, kind) in try self.openKinds(in: lane) {
            let limit = room.remaining(for: kind)
            guard limit > 0 else { continue }
            for state in 0...2 {
                let rows = try self.rows(
                    """
                    SELECT * FROM batches INDEXED BY batches_open
                    WHERE lane = ? AND kind = ? AND state = ? AND claimable_at <= ?
                    ORDER BY claimable_at, id LIMIT ?
                    """,
                    [lane.stored, number, state, now.millisecondsSince1970, limit]
                )
                found += try rows.map { ClaimCandidate(id: try $0.blob("id"), row: $0, kind: kind) }
            }
        }
        return ClaimCandidate.choose(from: found, room: room)
    }
}
