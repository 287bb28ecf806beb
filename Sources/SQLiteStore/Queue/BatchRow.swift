// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushModel
import PushStore

/// The part of a batch that changes, with what is needed to find the rest.
struct BatchRow {
    /// The columns that `init(row:)` reads.
    static let columns = """
        batches.id, batches.notification, batches.ordinal, batches.app, batches.lane, batches.state,
        batches.next_target, batches.target_count, batches.delivered, batches.worker, batches.leased_until,
        batches.created_at, batches.expires_at, batches.content
        """

    let id: BatchID
    let notification: NotificationID
    let ordinal: Int
    let app: Int64
    let lane: Lane
    let createdAt: Date
    let content: Int64
    var lifecycle: BatchLifecycle
    var delivered: Int

    init(row: Row) throws {
        guard
            let id = APNsID(stored: row.bytes("id")).flatMap(BatchID.init),
            let notification = APNsID(stored: row.bytes("notification"))
        else { throw StoreError.damaged("batch") }
        self.id = id
        self.notification = NotificationID(notification)
        self.ordinal = row["ordinal"]
        self.app = row["app"]
        self.lane = Lane(stored: row["lane"])
        self.createdAt = row.date("created_at")
        self.content = row["content"]
        self.delivered = row["delivered"]
        let worker = (row["worker"] as String?).flatMap { WorkerID(rawValue: $0) }
        self.lifecycle = BatchLifecycle(
            state: try BatchState(number: row["state"], worker: worker, until: row.optionalDate("leased_until")),
            cursor: row["next_target"],
            targetCount: row["target_count"],
            expiresAt: row.optionalDate("expires_at"),
            lastWorker: worker
        )
    }
}

extension BatchState {
    fileprivate init(number: Int, worker: WorkerID?, until: Date?) throws {
        switch (number, worker, until) {
        case (0, _, _): self = .pending
        case (1, let worker?, let until?): self = .leased(worker: worker, until: until)
        case (2, _, _): self = .settled
        case (3, _, _): self = .cancelled
        case (4, _, _): self = .expired
        default: throw StoreError.damaged("state of a batch")
        }
    }

    /// The number in which it is stored; those below 2 are not final.
    var number: Int {
        switch self {
        case .pending: 0
        case .leased: 1
        case .settled: 2
        case .cancelled: 3
        case .expired: 4
        }
    }

    /// When the lease lapses, or `nil`.
    var leasedUntil: Date? {
        if case .leased(_, let until) = self { until } else { nil }
    }
}

extension Database {
    /// The batch of that id, or `nil`.
    func batch(_ id: BatchID) throws -> BatchRow? {
        try self.row("SELECT \(BatchRow.columns) FROM batches WHERE id = ?", [id.value.stored])
            .map(BatchRow.init(row:))
    }

    /// The batches of a notification, in their order.
    func batches(of notification: NotificationID) throws -> [BatchRow] {
        try self.rows(
            "SELECT \(BatchRow.columns) FROM batches WHERE notification = ? ORDER BY ordinal",
            [notification.value.stored]
        ).map(BatchRow.init(row:))
    }

    /// Writes back what changes about a batch.
    func update(_ batch: BatchRow) throws {
        try self.run(
            "UPDATE batches SET state = ?, next_target = ?, delivered = ?, worker = ?, leased_until = ? WHERE id = ?",
            [
                batch.lifecycle.state.number, batch.lifecycle.cursor, batch.delivered,
                batch.lifecycle.lastWorker?.rawValue,
                batch.lifecycle.state.leasedUntil?.millisecondsSince1970, batch.id.value.stored,
            ]
        )
    }

    /// Whether none of a notification's batches will send any more.
    func isSettled(_ notification: NotificationID) throws -> Bool {
        try self.row(
            "SELECT 1 FROM batches WHERE notification = ? AND state < 2 LIMIT 1",
            [notification.value.stored]
        ) == nil
    }
}
