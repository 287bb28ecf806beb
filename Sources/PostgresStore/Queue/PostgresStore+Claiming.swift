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
    ///
    /// Batches whose time is over are ended on the way, some in each transaction: however many they are, each is kept.
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
        var room = room
        room.total = PageLimit.clamp(room.total)
        var leases: [StoredLease] = []
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
                isComplete = round.isComplete || Task.isCancelled
            } catch  where !leases.isEmpty {
                // What is leased can be sent; whatever keeps the rest is met again by the next claim.
                isComplete = true
            }
        }
        return try await self.load(leases, worker: worker, now: now)
    }

    /// Reads the contents of batches; these never change, so that no transaction and no lock has to wait for them.
    private func load(_ leases: [StoredLease], worker: WorkerID, now: Date) async throws -> [ClaimedBatch] {
        guard !leases.isEmpty else { return [] }
        let claims: [Claim]
        do {
            claims = try await self.run(isCancellable: false) { connection in
                let contents = try connection.rows(
                    "SELECT * FROM batch_contents WHERE batch = ANY($1::uuid[])",
                    [.ids(leases.map(\.batch.id.value))]
                )
                return Self.claims(leases, contents: contents, worker: worker)
            }
        } catch {
            // Nobody else has to wait for the leases to lapse.
            for lease in leases { try? await self.release(lease.batch.id, worker: worker, now: now) }
            throw error
        }
        return await self.sound(claims, worker: worker, now: now)
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
    ///
    /// The lease of one that cannot be ended lapses, and it is claimed again.
    private func sound(_ claims: [Claim], worker: WorkerID, now: Date) async -> [ClaimedBatch] {
        var sound: [ClaimedBatch] = []
        for claim in claims {
            switch claim.result {
            case .success(let batch): sound.append(batch)
            case .failure(let error):
                await self.leaveOut(claim.id, worker: worker, error, now: now)
            }
        }
        return sound
    }

    private func leaveOut(_ batch: BatchID, worker: WorkerID, _ error: any Error, now: Date) async {
        do {
            try await self.close(batch, worker: worker, as: .damaged, now: now)
            self.logger.error("A damaged batch has failed", metadata: ["batch.id": "\(batch)", "error": "\(error)"])
        } catch {
            self.logger.error(
                "A batch that cannot be read waits for its lease to lapse",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}
