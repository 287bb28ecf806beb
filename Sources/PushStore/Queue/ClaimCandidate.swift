// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Logging
package import PushModel

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
    package func noteDamage<Row>(of candidate: ClaimCandidate<Row>, _ reason: String) {
        let id = APNsID(stored: candidate.id)?.description ?? "unreadable"
        self.error("A damaged batch has failed", metadata: ["batch.id": "\(id)", "reason": "\(reason)"])
    }
}

/// A batch that was leased, and whose contents are yet to be read.
package struct StoredLease: Sendable {
    package let batch: BatchRow
    package let kind: BatchKind
    package let due: [Deferral]

    package init(batch: BatchRow, kind: BatchKind, due: [Deferral]) {
        self.batch = batch
        self.kind = kind
        self.due = due
    }

    /// The claim, with its contents.
    package func claimed(_ content: BatchContent, by worker: WorkerID) -> ClaimedBatch? {
        guard case .leased(_, let until) = self.batch.lifecycle.state else { return nil }
        return ClaimedBatch(
            batch: Batch(stored: self.batch, app: self.kind.app, content: content),
            cursor: self.batch.lifecycle.cursor,
            due: self.due,
            setbacks: self.batch.lifecycle.setbacks,
            held: self.batch.lifecycle.held,
            worker: worker,
            leasedUntil: until
        )
    }
}
