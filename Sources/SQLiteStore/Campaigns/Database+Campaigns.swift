// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

extension Database {
    /// Adds a campaign with the notification that it sends, and tells of it.
    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws {
        let row = CampaignRow(campaign)
        try self.insert(row, app: app)
        try self.note(row, from: nil, now: campaign.createdAt, signalling: &changes)
    }
}

extension Database {
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
        let app = try row.int64("app")
        try self.append(.accepted(notification, time: now), app: app, signalling: &changes)
        return true
    }

    /// Lets no more batches be added to a notification, which may be settled by that.
    func close(_ notification: NotificationID, now: Date, signalling changes: inout [StoreChange]) throws {
        guard try self.seal(notification, now: now, signalling: &changes) else { return }
        try self.settleIfDone(notification, now: now, signalling: &changes)
    }
}

extension Database {
    /// A campaign was created, or has changed from a state: signals that, and appends the event of its new state.
    ///
    /// Nothing is appended where the state is the same.
    func note(
        _ row: CampaignRow,
        from former: CampaignState?,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let campaign = row.campaign
        changes.append(.campaignChanged(campaign.id))
        guard let event = EventDraft.campaign(campaign, row.lifecycle, from: former, time: now) else { return }
        try self.append(event, app: self.requiredNumber(of: campaign.app), signalling: &changes)
    }

    /// The campaign of that id; `nil` when there is none, or what was stored of it is damaged.
    ///
    /// A damaged campaign must not keep its batches from being settled.
    func readableCampaign(_ id: CampaignID) throws -> CampaignRow? {
        do {
            return try self.lockedCampaign(id).map { try CampaignRow(stored: $0) }
        } catch let error as StoreError where error.code == .corrupt {
            return nil
        }
    }
}
