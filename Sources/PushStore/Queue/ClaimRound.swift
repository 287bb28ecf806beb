// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import Logging
package import PushModel

/// What a claim does to the queue, in one transaction of a store.
package protocol ClaimTransaction {
    associatedtype Row: StoredRow

    /// Writes back a batch.
    mutating func update(_ batch: BatchRow) throws

    /// Writes back a batch that is final, and counts its last targets as failed.
    mutating func close(_ batch: BatchRow, remaining: Int, as code: FailureCode) throws

    /// Ends a batch whose row cannot be read, since it would keep all others of its kind from being claimed.
    ///
    /// - Returns: how many targets had no outcome.
    mutating func condemn(_ row: Row) throws -> Int

    /// Lists a batch among the items that are quarantined.
    func list(quarantined batch: BatchRow, now: Date) throws

    /// What the last worker of a batch left is given up where something newer waits for it.
    mutating func relieve(_ batch: BatchRow) throws
}

/// One transaction of a claim: what it may lease, and what has come of it; a value without a database.
///
/// Others wait for it. So it ends a few hundred batches at most, and leaves the rest to the next round.
package struct ClaimRound: Sendable {
    /// How many batches that cannot be leased are looked at before the transaction is committed.
    package static let patience = 200

    package let lane: Lane
    package let worker: WorkerID
    package let until: Date
    package let now: Date

    /// What there is room for; less by what was leased.
    package private(set) var room: ClaimRoom

    /// What was leased.
    package private(set) var leases: [StoredLease] = []

    /// What became of the targets of batches that it ended.
    package private(set) var ended = OutcomeCounts()

    /// How many batches were looked at that could not be leased.
    package private(set) var passed = 0

    /// Whether there is no room, or nothing that may be claimed.
    package var isComplete = false

    package init(lane: Lane, worker: WorkerID, until: Date, now: Date, room: ClaimRoom) {
        self.lane = lane
        self.worker = worker
        self.until = until
        self.now = now
        self.room = room
    }

    /// Whether the transaction takes more.
    package var goesOn: Bool { !self.isComplete && self.passed < Self.patience }

    /// Leases a batch, or ends it.
    ///
    /// - Returns: whether its time was over.
    @discardableResult
    package mutating func take<Transaction: ClaimTransaction>(
        _ candidate: ClaimCandidate<Transaction.Row>,
        in transaction: inout Transaction,
        logger: Logger
    ) throws -> Bool {
        var batch: BatchRow
        do {
            batch = try BatchRow(stored: candidate.row)
        } catch {
            try self.condemn(candidate, in: &transaction, "\(error)", logger: logger)
            return false
        }
        switch batch.lifecycle.claim(by: self.worker, until: self.until, now: self.now) {
        case .granted(_, let due):
            if batch.lifecycle.interruptions.isSuspect {
                guard self.room.suspects > 0 else { return false }
                self.room.suspects -= 1
            }
            try transaction.update(batch)
            self.leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
            _ = self.room.take(candidate.kind)
            return false
        case .expired(let remaining): try self.close(batch, remaining: remaining, as: .expired, in: &transaction)
        case .cancelled(let remaining): try self.close(batch, remaining: remaining, as: .cancelled, in: &transaction)
        case .quarantined(let remaining):
            logger.error(
                "Quarantined a batch whose workers were terminated",
                metadata: [
                    "batch.id": "\(batch.id)", "notification.id": "\(batch.notification)",
                    "app": "\(candidate.kind.app)",
                    "batch.workers": "\(Interruptions.maximum)",
                ]
            )
            try self.close(batch, remaining: remaining, as: .quarantined, in: &transaction)
            try transaction.list(quarantined: batch, now: self.now)
        case .postponed:
            try transaction.update(batch)
            try transaction.relieve(batch)
            self.passed += 1
        case .paused:
            try transaction.update(batch)
            self.passed += 1
        case .refused:
            let reason = "it is \(batch.lifecycle.state) at \(self.now)"
            try self.condemn(candidate, in: &transaction, reason, logger: logger)
        }
        return batch.lifecycle.state == .expired
    }

    private mutating func close(
        _ batch: BatchRow,
        remaining: Int,
        as code: FailureCode,
        in transaction: inout some ClaimTransaction
    ) throws {
        try transaction.close(batch, remaining: remaining, as: code)
        self.ended.add(.failed(code), count: remaining)
        self.passed += 1
    }

    private mutating func condemn<Transaction: ClaimTransaction>(
        _ candidate: ClaimCandidate<Transaction.Row>,
        in transaction: inout Transaction,
        _ reason: String,
        logger: Logger
    ) throws {
        logger.logCorruption(of: candidate, reason)
        self.ended.add(.failed(.corrupt), count: try transaction.condemn(candidate.row))
        self.passed += 1
    }
}

extension ClaimRoom {
    /// The most batches of a kind that may be leased now.
    package func remaining(for kind: BatchKind) -> Int { min(self.total, self.limit(for: kind)) }

    /// Takes room for one batch of a kind.
    ///
    /// - Returns: whether there was room.
    package mutating func take(_ kind: BatchKind) -> Bool {
        guard self.remaining(for: kind) > 0 else { return false }
        let limit = self.limit(for: kind)
        // From here on it is one that is named.
        if self.kinds[kind] == nil { self.otherKinds -= 1 }
        self.kinds[kind] = limit - 1
        self.total -= 1
        return true
    }
}

/// A batch that may be claimed, as a store found it.
package struct ClaimCandidate<Row> {
    /// The bytes of the batch's id, which may be damaged.
    package let id: [UInt8]
    package let row: Row
    package let kind: BatchKind

    package init(id: [UInt8], row: Row, kind: BatchKind) {
        self.id = id
        self.row = row
        self.kind = kind
    }

    /// The oldest for which there is room, the oldest first.
    ///
    /// A store looks for as many of each state as there is room for: together they may be too many.
    package static func choose(from found: [Self], room: ClaimRoom) -> [Self] {
        var room = room
        return found.sorted { $0.id.lexicographicallyPrecedes($1.id) }.filter { room.take($0.kind) }
    }
}

extension Logger {
    /// Says which batch is damaged, and how.
    package func logCorruption<Row>(of candidate: ClaimCandidate<Row>, _ reason: String) {
        let id = APNsID(stored: candidate.id)?.description ?? "unreadable"
        self.error("Failed a corrupt batch", metadata: ["batch.id": "\(id)", "reason": "\(reason)"])
    }
}

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
            let remaining = try await self.close(batch, worker: worker, as: .corrupt, now: now)
            claim.ended.add(.failed(.corrupt), count: remaining)
            self.logger.error("Failed a corrupt batch", metadata: ["batch.id": "\(batch)", "error": "\(failure)"])
        } catch {
            self.logger.error(
                "A batch that cannot be read waits for its lease to lapse",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}
