// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore

extension PostgresStore {
    /// A batch that was leased, or why its contents could not be read.
    private typealias Claim = (id: BatchID, result: Result<ClaimedBatch, any Error>)

    /// Leases batches to a worker, of each kind the oldest first; see `BatchStore`.
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        let until = now.lease(of: leaseDuration)
        let logger = self.logger
        let claims: [Claim] = try await self.write { connection, changes in
            var leases: [StoredLease] = []
            var ends = BatchEnds()
            var room = room
            room.total = PageLimit.clamp(room.total)
            var isComplete = false
            while room.total > 0, !isComplete {
                // Where all candidates were leased, there is no room or there are no more of them.
                isComplete = true
                for candidate in try connection.claimable(lane: lane, room: room, now: now) {
                    guard var batch = try? BatchRow(stored: candidate.row) else {
                        try connection.condemn(candidate.row, &ends, logger: logger)
                        isComplete = false
                        continue
                    }
                    switch batch.lifecycle.claim(by: worker, until: until, now: now) {
                    case .granted(_, let due):
                        try connection.update(batch)
                        leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
                        _ = room.take(candidate.kind)
                    case .expired(let remaining):
                        try connection.close(batch, remaining: remaining, as: .expired, &ends)
                        isComplete = false
                    case .cancelled(let remaining):
                        try connection.close(batch, remaining: remaining, as: .cancelled, &ends)
                        isComplete = false
                    case .postponed, .paused:
                        try connection.update(batch)
                        isComplete = false
                    case .refused: throw StoreError.damaged("state of a batch")
                    }
                }
            }
            // The contents come with the commit; they are decoded once the locks are gone.
            let contents = try connection.queue(
                "SELECT * FROM batch_contents WHERE batch = ANY($1::uuid[])",
                [.ids(leases.map(\.batch.id.value))]
            )
            let settled = try connection.count(off: ends)
            var news = FeedNews()
            try connection.tell(of: settled, now: now, in: &news)
            let told = try connection.commit(news)
            changes = try settled.changes + told
            return Self.claims(leases, contents: contents.rows, worker: worker)
        }
        return try await self.sound(claims, worker: worker, now: now)
    }

    private static func claims(_ leases: [StoredLease], contents: [PostgresRow], worker: WorkerID) -> [Claim] {
        let rows = Dictionary(contents.map { (try? $0.blob("batch"), $0) }) { first, _ in first }
        return leases.map { lease in
            let result = Result<ClaimedBatch, any Error> {
                guard
                    let row = rows[lease.batch.id.value.stored],
                    let claimed = lease.claimed(
                        try BatchContent(stored: row, targetCount: lease.batch.lifecycle.targetCount),
                        by: worker
                    )
                else { throw StoreError.damaged("content of a batch") }
                return claimed
            }
            return (lease.batch.id, result)
        }
    }

    /// The claims that can be sent; ends the others, since they would be claimed for ever.
    private func sound(_ claims: [Claim], worker: WorkerID, now: Date) async throws -> [ClaimedBatch] {
        var sound: [ClaimedBatch] = []
        for claim in claims {
            switch claim.result {
            case .success(let batch): sound.append(batch)
            case .failure(let error):
                self.logger.error(
                    "A damaged batch has failed",
                    metadata: ["batch.id": "\(claim.id)", "error": "\(error)"]
                )
                try await self.close(claim.id, worker: worker, as: .damaged, now: now)
            }
        }
        return sound
    }
}
