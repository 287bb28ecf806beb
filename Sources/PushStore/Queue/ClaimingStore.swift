// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Logging
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A store of which batches are claimed in rounds, a transaction each.
///
/// Batches whose time is over are ended on the way, some in each round, so that however many they are, each is kept and
/// other changes get their turn.
package protocol ClaimingStore: BatchStore {
    var logger: Logger { get }

    /// Carries out a round in one transaction; returns what has come of it when that is durable.
    func carryOut(_ round: ClaimRound) async throws -> ClaimRound

    /// The contents of batches, in their order; `nil` for a batch that is known to have been removed.
    ///
    /// They never change: they are read and decoded outside of the transaction, which others wait for.
    func contents(of leases: [StoredLease]) async throws -> [Result<BatchContent?, any Error>]
}

extension ClaimingStore {
    /// Leases batches to a worker, of each kind the oldest first; see ``BatchStore``.
    package func claimInRounds(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim {
        // Rows keep milliseconds: by a finer time one that is due by its index would not be due by its state.
        let now = now.keptToMilliseconds
        let until = now.lease(of: leaseDuration)
        var room = room
        room.total = PageLimit.clamp(room.total)
        var leases: [StoredLease] = []
        var claim = BatchClaim()
        var isComplete = false
        while !isComplete {
            let next = ClaimRound(lane: lane, worker: worker, until: until, now: now, room: room)
            do {
                let round = try await self.carryOut(next)
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

    private func load(
        _ leases: [StoredLease],
        into claim: inout BatchClaim,
        worker: WorkerID,
        now: Date
    ) async throws {
        guard !leases.isEmpty else { return }
        let contents: [Result<BatchContent?, any Error>]
        do {
            contents = try await self.contents(of: leases)
        } catch {
            // Nobody else has to wait for the leases to lapse.
            for lease in leases { _ = try? await self.release(lease.batch.id, worker: worker, now: now) }
            throw error
        }
        for (lease, content) in zip(leases, contents) {
            do {
                guard let content = try content.get(), let batch = lease.claimed(content, by: worker) else { continue }
                claim.batches.append(batch)
            } catch {
                await self.leaveOut(lease.batch.id, of: &claim, worker: worker, error, now: now)
            }
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
            guard let failure = error as? StoreError, failure.code == .corrupt else { throw error }
            let remaining = try await self.close(batch, worker: worker, as: .damaged, now: now)
            claim.ended.add(.failed(.damaged), count: remaining)
            self.logger.error("A damaged batch has failed", metadata: ["batch.id": "\(batch)", "error": "\(failure)"])
        } catch {
            self.logger.error(
                "A batch that cannot be read waits for its lease to lapse",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}
