// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore

extension PostgresStore {
    /// A batch that was leased, or why its contents could not be read.
    private typealias FoundBatch = (id: BatchID, result: Result<ClaimedBatch, any Error>)

    /// Leases batches to a worker, of each kind the oldest first; see `BatchStore`.
    ///
    /// Batches whose time is over are ended on the way, some in each transaction: however many they are, each is kept.
    public func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        // Rows keep milliseconds: by a finer time one that is due by its index would not be due by its state.
        let now = now.keptToMilliseconds
        let until = now.lease(of: leaseDuration)
        let logger = self.logger
        var room = room
        room.total = PageLimit.clamp(room.total)
        var leases: [StoredLease] = []
        var claim = BatchClaim()
        var isComplete = false
        while !isComplete {
            let next = ClaimRound(lane: lane, worker: worker, until: until, now: now, room: room)
            do {
                let round = try await self.write(isStored: { try $0.holds($1) }) { connection, changes in
                    var round = next
                    changes = try round.run(on: connection, logger: logger)
                    return round
                }
                room = round.room
                leases += round.leases
                claim.ended += round.ended
                isComplete = round.isComplete || Task.isCancelled
            } catch  where !leases.isEmpty {
                // What is leased can be sent; whatever keeps the rest is met again by the next claim.
                isComplete = true
            }
        }
        try await self.load(leases, into: &claim, worker: worker, now: now)
        return claim
    }

    /// Reads the contents of batches; these never change, so that no transaction and no lock has to wait for them.
    private func load(
        _ leases: [StoredLease],
        into claim: inout BatchClaim,
        worker: WorkerID,
        now: Date
    ) async throws {
        guard !leases.isEmpty else { return }
        let found: [FoundBatch]
        do {
            found = try await self.run(isCancellable: false) { connection in
                let contents = try connection.rows(
                    "SELECT * FROM batch_contents WHERE batch = ANY($1::uuid[])",
                    [.ids(leases.map(\.batch.id.value))]
                )
                return Self.batches(of: leases, contents: contents, worker: worker)
            }
        } catch {
            // Nobody else has to wait for the leases to lapse.
            for lease in leases { _ = try? await self.release(lease.batch.id, worker: worker, now: now) }
            throw error
        }
        for batch in found {
            switch batch.result {
            case .success(let claimed): claim.batches.append(claimed)
            case .failure(let error):
                await self.leaveOut(batch.id, of: &claim, worker: worker, error, now: now)
            }
        }
    }

    private static func batches(of leases: [StoredLease], contents: [PostgresRow], worker: WorkerID) -> [FoundBatch] {
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

    /// Ends a batch whose contents are damaged, since it would be claimed for ever.
    ///
    /// Where that fails its lease lapses, and it is claimed again: the batches claimed with it are sent all the same.
    private func leaveOut(
        _ batch: BatchID,
        of claim: inout BatchClaim,
        worker: WorkerID,
        _ error: any Error,
        now: Date
    ) async {
        do {
            let remaining = try await self.close(batch, worker: worker, as: .damaged, now: now)
            claim.ended.add(.failed(.damaged), count: remaining)
            self.logger.error("A damaged batch has failed", metadata: ["batch.id": "\(batch)", "error": "\(error)"])
        } catch {
            self.logger.error(
                "A batch that cannot be read waits for its lease to lapse",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}
