// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
package import PushModel
package import PushStore

/// One transaction of a claim, which ends a few hundred batches at most, because other writers wait for it.
struct PartialClaim: Sendable {
    /// How many batches that cannot be leased are looked at before the transaction is committed.
    static let patience = 200

    let lane: Lane
    let worker: WorkerID
    let until: Date
    let now: Date
    let logger: Logger
    private(set) var room: ClaimLimits
    private(set) var leases: [StoredLease] = []
    private(set) var ended = OutcomeCounts()

    /// How many batches were looked at that could not be leased.
    private(set) var passed = 0

    /// Whether there is no room, or nothing that may be claimed.
    var isComplete = false

    /// Leases and ends batches.
    ///
    /// PostgreSQL walks again and again over the places that batches had in the index before the transaction ended
    /// them. So a round ends a bounded number.
    mutating func run(in transaction: SQLTransaction) throws {
        let kinds = try transaction.openKinds(in: self.lane)
        while !self.isComplete, self.passed < Self.patience {
            let passed = self.passed
            var overdue: Set<RoutingKey> = []
            for candidate in try transaction.claimable(self, kinds: kinds) {
                if try self.take(candidate, in: transaction) { overdue.insert(candidate.kind) }
            }
            // If all candidates were leased, the limits are reached or there are no more of them.
            self.isComplete = self.passed == passed
            guard !overdue.isEmpty, transaction.dialect == .postgres else { continue }
            // If the time of one batch is over, that of many may be.
            for candidate in try transaction.overdue(self, kinds: kinds.filter { overdue.contains($0.value) }) {
                try self.take(candidate, in: transaction)
            }
        }
    }

    /// Leases a batch, or ends it; returns whether its time was over.
    @discardableResult
    private mutating func take(_ candidate: ClaimCandidate, in transaction: SQLTransaction) throws -> Bool {
        var batch: BatchRow
        do {
            batch = try BatchRow(stored: candidate.row)
        } catch {
            try self.condemn(candidate, because: "\(error)", in: transaction)
            return false
        }
        switch batch.lifecycle.claim(by: self.worker, until: self.until, now: self.now) {
        case .granted(_, let due):
            if batch.lifecycle.interruptions.isSuspect {
                // Otherwise it would not be known which of the two ends the process.
                if self.room.suspects > 0, try transaction.isTryingSuspect() { self.room.suspects = 0 }
                guard self.room.suspects > 0 else {
                    // It took the room of a later batch in this search; the next search leaves suspects out.
                    self.passed += 1
                    return false
                }
                self.room.suspects -= 1
            }
            try transaction.update(batch)
            self.leases.append(StoredLease(batch: batch, kind: candidate.kind, due: due))
            _ = self.room.take(candidate.kind, targets: batch.lifecycle.targetCount)
            return false
        case .expired(let remaining): try self.close(batch, remaining: remaining, as: .expired, in: transaction)
        case .cancelled(let remaining): try self.close(batch, remaining: remaining, as: .cancelled, in: transaction)
        case .quarantined(let remaining):
            self.logger.error(
                "Quarantined a batch after several claims without settlement or release",
                metadata: [
                    "batch.id": "\(batch.id)", "notification.id": "\(batch.notification)",
                    "app": "\(candidate.kind.app)", "batch.workers": "\(Interruptions.maximum)",
                ]
            )
            try self.close(batch, remaining: remaining, as: .quarantined, in: transaction)
            try transaction.list(.batch, batch.id.description, app: batch.app, as: .interrupted, now: self.now)
        case .postponed:
            try transaction.update(batch)
            try transaction.updateActivities(waitingFor: batch, now: self.now)
            self.passed += 1
        case .paused:
            try transaction.update(batch)
            self.passed += 1
        case .refused:
            try self.condemn(candidate, because: "it is \(batch.lifecycle.state) at \(self.now)", in: transaction)
        }
        return batch.lifecycle.state == .expired
    }

    private mutating func close(
        _ batch: BatchRow,
        remaining: Int,
        as code: FailureCode,
        in transaction: SQLTransaction
    ) throws {
        try transaction.close(batch, remaining: remaining, as: code, now: self.now)
        self.ended.add(.failed(code), count: remaining)
        self.passed += 1
    }

    private mutating func condemn(
        _ candidate: ClaimCandidate,
        because reason: String,
        in transaction: SQLTransaction
    ) throws {
        let id = APNsID(stored: candidate.id)?.description ?? "unreadable"
        self.logger.error("Failed a corrupt batch", metadata: ["batch.id": "\(id)", "reason": "\(reason)"])
        self.ended.add(.failed(.corrupt), count: try transaction.condemn(key: candidate.id, now: self.now))
        self.passed += 1
    }
}

/// A batch that was leased, and whose contents are yet to be read.
struct StoredLease: Sendable {
    let batch: BatchRow
    let kind: RoutingKey
    let due: [Deferral]

    func claimed(_ content: BatchContent, by worker: WorkerID) -> ClaimedBatch? {
        guard case .leased(_, let until) = self.batch.lifecycle.state else { return nil }
        return ClaimedBatch(
            batch: Batch(stored: self.batch, app: self.kind.app, content: content),
            cursor: self.batch.lifecycle.cursor,
            due: self.due,
            setbacks: self.batch.lifecycle.setbacks,
            held: self.batch.lifecycle.held,
            isSuspect: self.batch.lifecycle.interruptions.isSuspect,
            worker: worker,
            leasedUntil: until
        )
    }
}

extension ClaimLimits {
    /// The most batches of a kind that may be leased now.
    func remaining(for kind: RoutingKey) -> Int {
        let small = self.small.isExhausted(for: kind) ? 0 : self.small.kinds[kind] ?? 0
        return min(1000, min(self.total, self.limit(for: kind)).addingClamping(small))
    }

    /// Takes room for one batch of a kind; returns whether there was room.
    package mutating func take(_ kind: RoutingKey, targets: Int = .max) -> Bool {
        if let isTaken = self.small.take(kind, targets: targets) { return isTaken }
        guard min(self.total, self.limit(for: kind)) > 0 else { return false }
        let limit = self.limit(for: kind)
        // From here on it is one that is named.
        if self.kinds[kind] == nil { self.otherKinds -= 1 }
        self.kinds[kind] = limit - 1
        self.total -= 1
        return true
    }
}

/// A batch that may be claimed, as a store found it.
struct ClaimCandidate {
    let id: [UInt8]
    let row: StoredRow
    let kind: RoutingKey

    /// The stored number of its targets; that of a corrupt row can be anything.
    let targets: Int
}
