// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// The batches that end within a transaction, and the notifications that count them off.
struct BatchEnds {
    fileprivate var batches: [NotificationID: [BatchID]] = [:]

    /// Adds a batch that is final now, and has not been so before.
    mutating func add(_ batch: BatchRow) {
        self.batches[batch.notification, default: []].append(batch.id)
    }

    /// Those of one notification.
    func batches(of notification: NotificationID) -> [BatchID] { self.batches[notification] ?? [] }
}

/// What becomes of a notification by the end of some of its batches, or since no more are added to it.
struct NotificationEnd {
    fileprivate let notification: NotificationID
    fileprivate let batches: [BatchID]
    fileprivate let counted: PostgresReply
    fileprivate let finished: PostgresReply

    /// Whether the notification is settled by it; known once the replies have been received.
    var isSettled: Bool {
        get throws {
            guard let row = self.counted.rows.first else { return false }
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
    /// Queues that the notifications of batches count these off, as the last thing that a transaction does.
    ///
    /// The rows of notifications are locked behind those of batches, and before those of campaigns: so no two transactions
    /// wait for one another.
    func count(off ends: BatchEnds) throws -> [NotificationEnd] {
        let order = ends.batches.sorted { $0.key.value < $1.key.value }
        return try order.map { try self.count(off: $0.value, of: $0.key, isClosing: false) }
    }

    /// Queues that a notification counts off batches that have ended, and whether no more are added to it from now on.
    ///
    /// What settles it finishes its campaign, as by `CampaignLifecycle.settle`.
    func count(off batches: [BatchID], of notification: NotificationID, isClosing: Bool) throws -> NotificationEnd {
        let counted = try self.queue(
            """
            UPDATE notifications SET open_batches = open_batches - $2, is_open = is_open AND $3 = 0 WHERE id = $1
            RETURNING open_batches, is_open
            """,
            [.id(notification.value), .number(batches.count), .number(isClosing ? 1 : 0)]
        )
        let finished = try self.queue(
            """
            UPDATE campaigns SET state = 3, planner = NULL, claimable_at = NULL WHERE id = $1 AND state < 3
                AND EXISTS (SELECT FROM notifications WHERE id = $1 AND open_batches = 0 AND NOT is_open)
            """,
            [.id(notification.value)]
        )
        return NotificationEnd(notification: notification, batches: batches, counted: counted, finished: finished)
    }
}

extension [NotificationEnd] {
    /// What subscribers are told.
    var changes: [StoreChange] { get throws { try self.flatMap { try $0.changes } } }
}
