// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Database {
    /// Lets no more batches be added to a campaign's notification: only now is it known how many targets were accepted.
    ///
    /// - Returns: whether it was open.
    @discardableResult
    func sealNotification(
        of campaign: CampaignID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> Bool {
        try self.seal(campaign.notification, now: now, signalling: &changes)
    }

    /// Lets no more batches be added to a notification.
    ///
    /// - Returns: whether it was open.
    private func seal(
        _ notification: NotificationID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> Bool {
        let id = notification.value.stored
        let row = try self.row(
            """
            SELECT notifications.*, apps.id AS app_id FROM notifications
            JOIN apps ON apps.number = notifications.app WHERE notifications.id = ? AND is_open
            """,
            [id]
        )
        guard let row else { return false }
        try self.run("UPDATE notifications SET is_open = 0 WHERE id = ?", [id])
        let notification = try PushModel.Notification(stored: row)
        let app = Int64(try row.number("app"))
        try self.append(.accepted(notification, time: now), app: app, signalling: &changes)
        return true
    }

    /// Lets no more batches be added to a campaign's notification, which may be settled by that.
    func closeNotification(of campaign: CampaignID, now: Date, signalling changes: inout [StoreChange]) throws {
        try self.close(campaign.notification, now: now, signalling: &changes)
    }

    /// Lets no more batches be added to a notification, which may be settled by that.
    func close(_ notification: NotificationID, now: Date, signalling changes: inout [StoreChange]) throws {
        guard try self.seal(notification, now: now, signalling: &changes) else { return }
        try self.settleIfDone(notification, now: now, signalling: &changes)
    }
}
