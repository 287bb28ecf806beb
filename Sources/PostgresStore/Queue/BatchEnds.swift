// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The batches that end within a transaction, and the notifications that count them off.
struct BatchEnds {
    fileprivate var batches: [NotificationID: [BatchID]] = [:]

    /// Adds a batch that is final now, and has not been so before.
    mutating func add(_ batch: BatchID, of notification: NotificationID) {
        self.batches[notification, default: []].append(batch)
    }

    /// Those of one notification.
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
            UPDATE notifications SET open_batches = open_batches - $2, is_open = is_open AND $3 = 0 WHERE id = $1
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
        let counts = settled.isEmpty ? nil : try self.queueCounts(of: settled)
        if counts != nil { try self.receive() }
        for end in ends {
            guard let row = end.counted.rows.first else { continue }
            let app = Int64(try row.number("app"))
            let notification = try PushModel.Notification(stored: row)
            if try end.isClosed { news.add(.accepted(notification, time: now), app: app) }
            guard try end.isSettled else { continue }
            try self.keep(notification.id, app: app, settledAt: now)
            let outcomes = try counts?.byNotification()[notification.id] ?? OutcomeCounts()
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
