// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Logging
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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

    /// A round of which nothing is done yet.
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
            try transaction.update(batch)
            self.leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
            _ = self.room.take(candidate.kind)
            return false
        case .expired(let remaining): try self.close(batch, remaining: remaining, as: .expired, in: &transaction)
        case .cancelled(let remaining): try self.close(batch, remaining: remaining, as: .cancelled, in: &transaction)
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
        logger.noteDamage(of: candidate, reason)
        self.ended.add(.failed(.damaged), count: try transaction.condemn(candidate.row))
        self.passed += 1
    }
}
