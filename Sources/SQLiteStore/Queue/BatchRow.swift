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
        batches.claimable_at, batches.next_target, batches.deferred, batches.target_count, batches.delivered,
        batches.worker, batches.setbacks, batches.failure, batches.created_at, batches.expires_at, batches.content,
        batches.halt
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
            state: try BatchState(row: row, worker: worker),
            cursor: row["next_target"],
            deferred: try Self.deferred(row: row),
            targetCount: row["target_count"],
            expiresAt: row.optionalDate("expires_at"),
            lastWorker: worker,
            setbacks: row["setbacks"],
            halt: BatchHalt(stored: row["halt"])
        )
    }

    private static func deferred(row: Row) throws -> [Deferral] {
        guard let bytes = row["deferred"] as Data? else { return [] }
        do {
            return try DeferralList.decode([UInt8](bytes))
        } catch {
            throw StoreError.damaged("list of deferred targets")
        }
    }
}

extension BatchState {
    fileprivate init(row: Row, worker: WorkerID?) throws {
        switch (row["state"] as Int, worker) {
        case (0, _): self = .pending
        case (1, let worker?): self = .leased(worker: worker, until: row.date("claimable_at"))
        case (2, _): self = .waiting(until: row.date("claimable_at"))
        case (3, _): self = .settled
        case (4, _): self = .cancelled
        case (5, _): self = .expired
        case (6, _): self = .failed(FailureCode(rawValue: row["failure"] ?? FailureCode.damaged.rawValue))
        case (7, _): self = .paused
        default: throw StoreError.damaged("state of a batch")
        }
    }

    /// The number in which it is stored; those below 3, and 7, are not final.
    var number: Int {
        switch self {
        case .pending: 0
        case .leased: 1
        case .waiting: 2
        case .settled: 3
        case .cancelled: 4
        case .expired: 5
        case .failed: 6
        case .paused: 7
        }
    }

    /// From when the batch may be claimed, in milliseconds since 1970; 0 means from the beginning, and `nil` never.
    var claimableAt: Int64? {
        switch self {
        case .pending: 0
        case .leased(_, let until), .waiting(let until): until.millisecondsSince1970
        case .paused, .settled, .cancelled, .expired, .failed: nil
        }
    }

    /// Why the batch failed, or `nil`.
    var failure: String? {
        if case .failed(let code) = self { code.rawValue } else { nil }
    }
}

extension BatchHalt {
    /// The number in which it is stored.
    fileprivate var stored: Int { self == .pause ? 1 : 2 }

    /// Reads the number of `stored`.
    fileprivate init?(stored number: Int?) {
        guard let number else { return nil }
        self = number == 1 ? .pause : .cancel
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
        let lifecycle = batch.lifecycle
        try self.run(
            """
            UPDATE batches SET state = ?, claimable_at = ?, next_target = ?, deferred = ?, delivered = ?, worker = ?,
                setbacks = ?, failure = ?, halt = ? WHERE id = ?
            """,
            [
                lifecycle.state.number, lifecycle.state.claimableAt, lifecycle.cursor,
                lifecycle.deferred.isEmpty ? nil : Data(DeferralList.encode(lifecycle.deferred)), batch.delivered,
                lifecycle.lastWorker?.rawValue, lifecycle.setbacks, lifecycle.state.failure, lifecycle.halt?.stored,
                batch.id.value.stored,
            ]
        )
    }

    /// The batches of a notification that are not final, in their order.
    func unsettledBatches(of notification: NotificationID) throws -> [BatchRow] {
        try self.rows(
            """
            SELECT \(BatchRow.columns) FROM batches WHERE notification = ? AND (state < 3 OR state = 7) ORDER BY ordinal
            """,
            [notification.value.stored]
        ).map(BatchRow.init(row:))
    }

    /// Settles a notification, and the campaign that sends it, when nothing more will be sent of it.
    ///
    /// - Returns: whether it is settled.
    @discardableResult
    func settleIfDone(_ notification: NotificationID, signalling changes: inout [StoreChange]) throws -> Bool {
        let id = notification.value.stored
        let unsettled = try self.row(
            "SELECT 1 FROM batches WHERE notification = ? AND (state < 3 OR state = 7) LIMIT 1",
            [id]
        )
        let open = unsettled == nil ? try self.row("SELECT 1 FROM notifications WHERE id = ? AND is_open", [id]) : nil
        guard unsettled == nil, open == nil else {
            changes.append(.batchSettled(notification))
            return false
        }
        changes.append(.notificationSettled(notification))
        let campaign = CampaignID(notification.value)
        if var row = try self.campaign(campaign), row.lifecycle.settle() {
            try self.update(row)
            changes.append(.campaignChanged(campaign))
        }
        return true
    }
}
