// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore

extension PostgresConnection {
    /// The batch of that id, which nobody else changes before the transaction ends, or `nil`.
    func lockedBatch(_ id: BatchID) throws -> BatchRow? {
        try self.row("SELECT * FROM batches WHERE id = $1 FOR UPDATE", [.id(id.value)]).map(BatchRow.init(stored:))
    }

    /// Queues that the batches of a notification that are not final are read, and that nobody else changes them.
    func lockUnsettledBatches(of notification: NotificationID) throws -> PostgresReply {
        try self.queue(
            """
            SELECT * FROM batches WHERE notification = $1 AND (state < 3 OR state = 7) ORDER BY id FOR UPDATE
            """,
            [.id(notification.value)]
        )
    }

    /// What can be read of the rows of batches that are not final.
    ///
    /// One that is damaged fails when it is claimed; one that is paused can be claimed from now on.
    func readableBatches(_ rows: [PostgresRow]) throws -> [BatchRow] {
        try rows.compactMap { row -> BatchRow? in
            if let batch = try row.readable(in: "batches", { try BatchRow(stored: $0) }) { return batch }
            if let id = APNsID(stored: try row.blob("id")) {
                try self.queue("UPDATE batches SET state = 0, claimable_at = 0 WHERE id = $1 AND state = 7", [.id(id)])
            }
            return nil
        }
    }

    /// Queues that what changes about a batch is written back.
    func update(_ batch: BatchRow) throws {
        let lifecycle = batch.lifecycle
        try self.queue(
            """
            UPDATE batches SET state = $2, claimable_at = $3, next_target = $4, deferred = $5, delivered = $6,
                worker = $7, setbacks = $8, failure = $9, halt = $10, held = $11, interrupted = $12
            WHERE id = $1
            """,
            [
                .id(batch.id.value), .number(lifecycle.state.number), .integer(lifecycle.state.claimableAt),
                .number(lifecycle.cursor), .bytes(batch.storedDeferred), .number(batch.delivered),
                .text(lifecycle.lastWorker?.rawValue), .number(lifecycle.setbacks), .text(lifecycle.state.failure),
                .number(lifecycle.halt?.stored), .integer(lifecycle.held.wholeMilliseconds),
                .number(lifecycle.interruptions.count),
            ]
        )
    }

    /// Queues that counts are added to what a batch's targets came to; what was delivered is counted in the batch.
    func add(_ counts: OutcomeCounts, to batch: BatchID) throws {
        try self.add(counts, toBatch: batch.value)
    }

    /// As ``add(_:to:)``, for a batch whose id may be damaged.
    func add(_ counts: OutcomeCounts, toBatch id: APNsID) throws {
        let entries = counts.stored
        guard !entries.isEmpty else { return }
        try self.queue(
            """
            INSERT INTO batch_counts (batch, kind, name, count)
            SELECT $1, kind, name, count FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS told (kind, name, count)
            ON CONFLICT (batch, kind, name) DO UPDATE
            SET count = greatest(0, least(batch_counts.count, $5::bigint)) + excluded.count
            """,
            [
                .id(id), .integers(entries.map { Int64($0.kind) }), .texts(entries.map(\.name)),
                .integers(entries.map { Int64($0.count) }), .number(Batch.maximumTargets),
            ]
        )
    }

    /// Queues that a batch ends whose remaining targets are not sent to, and that these are counted.
    func close(_ batch: BatchRow, remaining: Int, as code: FailureCode, _ ends: inout BatchEnds) throws {
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [code: remaining]), to: batch.id)
        try self.markForRelief(batch, hasFailures: true)
        ends.add(batch.id, of: batch.notification)
    }

    /// Queues that batches are halted which are not final.
    ///
    /// - Returns: how many of their targets have no outcome, and whether workers have to stop.
    func halt(_ batches: [BatchRow], _ halt: BatchHalt, _ ends: inout BatchEnds) throws -> (targets: Int, stops: Bool) {
        var targets = 0
        var stops = false
        for var batch in batches {
            switch batch.lifecycle.halt(halt) {
            case .unchanged: continue
            case .paused:
                try self.update(batch)
                targets += batch.lifecycle.remaining
            case .marked(let remaining):
                try self.update(batch)
                targets += remaining
                stops = true
            case .cancelled(let remaining):
                try self.close(batch, remaining: remaining, as: .cancelled, &ends)
                targets += remaining
            }
        }
        return (targets, stops)
    }
}

/// The batches that end within a transaction, and the notifications that count them off.
struct BatchEnds {
    fileprivate var batches: [NotificationID: [BatchID]] = [:]

    /// Adds a batch that is final now, and has not been so before.
    mutating func add(_ batch: BatchID, of notification: NotificationID) {
        self.batches[notification, default: []].append(batch)
    }

    func batches(of notification: NotificationID) -> [BatchID] { self.batches[notification] ?? [] }
}

/// What becomes of a notification by the end of some of its batches, or since no more are added to it.
///
/// Known once the replies have been received.
struct NotificationEnd {
    fileprivate let notification: NotificationID
    fileprivate let batches: [BatchID]
    fileprivate let former: PostgresReply?
    fileprivate let counted: PostgresReply
    fileprivate let finished: PostgresReply

    /// The app, or `nil` when there is no such notification.
    var app: AppID? { get throws { try self.counted.rows.first?.identifier("app_id") } }

    /// Whether no more batches are added to it by this.
    fileprivate var isClosed: Bool {
        get throws { try self.former?.rows.first.map { try $0.number("is_open") != 0 } ?? false }
    }

    /// Whether the notification is settled by it.
    var isSettled: Bool {
        get throws {
            guard let row = self.counted.rows.first, try !self.batches.isEmpty || self.isClosed else { return false }
            return try row.number("open_batches") == 0 && row.number("is_open") == 0
        }
    }

    /// What subscribers are told.
    var changes: [StoreChange] {
        get throws {
            let advanced = self.batches.map { StoreChange.batchAdvanced($0) }
            guard try self.isSettled else { return advanced + [.batchSettled(self.notification)] }
            let isCampaign = self.finished.changes > 0
            return advanced + [.notificationSettled(self.notification)]
                + (isCampaign ? [.campaignChanged(CampaignID(self.notification.value))] : [])
        }
    }
}

extension PostgresConnection {
    /// Queues that the notifications of batches count these off, as the last thing that a transaction does before it
    /// appends events.
    ///
    /// The rows of notifications are locked behind those of batches, and before those of campaigns: so no two transactions
    /// wait for one another.
    func count(off ends: BatchEnds) throws -> [NotificationEnd] {
        let order = ends.batches.sorted { $0.key.value < $1.key.value }
        return try order.map { try self.count(off: $0.value, of: $0.key) }
    }

    /// Queues that a notification counts off batches that have ended.
    func count(off batches: [BatchID], of notification: NotificationID) throws -> NotificationEnd {
        try self.end(notification, batches: batches, former: nil)
    }

    /// Queues that a notification, which is locked, counts off batches and that no more are added to it from now on.
    func close(_ notification: NotificationID, countingOff batches: [BatchID] = []) throws -> NotificationEnd {
        let former = try self.queue("SELECT is_open FROM notifications WHERE id = $1", [.id(notification.value)])
        return try self.end(notification, batches: batches, former: former)
    }

    /// What settles a notification finishes its campaign, as by `CampaignLifecycle.settle`.
    private func end(
        _ notification: NotificationID,
        batches: [BatchID],
        former: PostgresReply?
    ) throws -> NotificationEnd {
        let counted = try self.queue(
            """
            UPDATE notifications SET open_batches = greatest(0, open_batches) - $2, is_open = is_open AND $3 = 0
            WHERE id = $1
            RETURNING *, (SELECT apps.id FROM apps WHERE apps.number = notifications.app) AS app_id
            """,
            [.id(notification.value), .number(batches.count), .number(former == nil ? 0 : 1)]
        )
        let finished = try self.queue(
            """
            UPDATE campaigns SET state = 3, planner = NULL, claimable_at = NULL, paused_at = NULL, runs_since = NULL,
                runs_from = NULL WHERE id = $1 AND state < 3
                AND EXISTS (SELECT FROM notifications WHERE id = $1 AND open_batches = 0 AND NOT is_open)
            RETURNING *
            """,
            [.id(notification.value)]
        )
        return NotificationEnd(
            notification: notification,
            batches: batches,
            former: former,
            counted: counted,
            finished: finished
        )
    }

    /// Adds the events of what ended; receives what was queued for that.
    ///
    /// What is settled is kept for a while from now on.
    func tell(of ends: [NotificationEnd], now: Date, in news: inout FeedNews) throws {
        guard !ends.isEmpty else { return }
        try self.receive()
        let settled = try ends.filter { try $0.isSettled }.map(\.notification)
        let counts = try settled.map { (key: $0, value: try self.counts(of: $0)) }
        for end in ends {
            guard let row = end.counted.rows.first else { continue }
            let app = try row.int64("app")
            let notification = try PushModel.Notification(stored: row)
            if try end.isClosed { news.add(.accepted(notification, time: now), app: app) }
            guard try end.isSettled else { continue }
            try self.keep(notification.id, app: app, settledAt: now)
            let own = counts.first { $0.key == notification.id }?.value
            let outcomes = try own?.counts(of: notification.id) ?? OutcomeCounts()
            if let failure = EndpointFailure(of: notification.id, counts: outcomes) {
                try self.tell(of: failure, app: app, now: now)
            }
            news.add(.settled(notification.id, app: notification.app, counts: outcomes, time: now), app: app)
            // One that cannot be read has finished as well; nothing can be told of it.
            if let campaign = end.finished.rows.first.flatMap({ try? CampaignRow(stored: $0) }) {
                news.add(campaign, from: .running, app: app, now: now)
            }
        }
    }
}

extension [NotificationEnd] {
    /// What subscribers are told.
    var changes: [StoreChange] { get throws { try self.flatMap { try $0.changes } } }
}
