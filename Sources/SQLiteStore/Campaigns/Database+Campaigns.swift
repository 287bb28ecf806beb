// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

extension Database {
    /// The campaign of that id, or `nil`.
    func campaign(_ id: CampaignID) throws -> CampaignRow? {
        try self.row("SELECT * FROM campaigns WHERE id = ?", [id.value.stored]).map(CampaignRow.init(stored:))
    }

    /// Adds a campaign with the notification that it sends, and tells of it.
    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws {
        try self.run(
            """
            INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open)
            VALUES (?, ?, ?, 0, 0, 1)
            """,
            [campaign.id.value.stored, app, campaign.createdAt.millisecondsSince1970]
        )
        let row = CampaignRow(campaign)
        try self.insert(row, app: app)
        try self.note(row, from: nil, now: campaign.createdAt, signalling: &changes)
    }

    /// Adds a campaign.
    func insert(_ row: CampaignRow, app: Int64) throws {
        let campaign = row.campaign
        try self.run(
            """
            INSERT INTO campaigns
                (id, app, definition, state, claimable_at, setbacks, planning_at, expires_at, paused_at)
            VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)
            """,
            [
                campaign.id.value.stored, app, try row.storedDefinition, row.lifecycle.state.number,
                row.lifecycle.claimableAt?.millisecondsSince1970,
                row.lifecycle.planningTime.millisecondsSince1970, campaign.expiresAt?.millisecondsSince1970,
                row.lifecycle.pausedAt?.millisecondsSince1970,
            ]
        )
    }

    /// Writes back what changes about a campaign.
    func update(_ row: CampaignRow) throws {
        let lifecycle = row.lifecycle
        try self.run(
            """
            UPDATE campaigns SET state = ?, reason = ?, plan = ?, planner = ?, claimable_at = ?, setbacks = ?,
                paused_at = ?, runs_since = ?, runs_from = ? WHERE id = ?
            """,
            [
                lifecycle.state.number, lifecycle.state.reason, try row.storedPlan,
                lifecycle.planner?.rawValue, lifecycle.claimableAt?.millisecondsSince1970, lifecycle.setbacks,
                lifecycle.pausedAt?.millisecondsSince1970, lifecycle.stretch?.since.millisecondsSince1970,
                lifecycle.stretch?.settled, row.campaign.id.value.stored,
            ]
        )
    }

    /// What the targets of a notification came to so far, all batches together.
    func counts(of notification: NotificationID) throws -> OutcomeCounts {
        let id = notification.value.stored
        let delivered = try self.row(
            "SELECT coalesce(sum(delivered), 0) AS sum FROM batches WHERE notification = ?",
            [id]
        )
        var counts = OutcomeCounts(delivered: try delivered?.number("sum") ?? 0)
        let rows = try self.rows(
            """
            SELECT batch_counts.kind, name, sum(count) AS count FROM batches CROSS JOIN batch_counts ON batch = batches.id
            WHERE notification = ? GROUP BY batch_counts.kind, name
            """,
            [id]
        )
        for row in rows { try counts.add(stored: row) }
        return counts
    }

    /// How far a campaign has come.
    func status(of row: CampaignRow) throws -> CampaignStatus {
        CampaignStatus(
            campaign: row.campaign,
            lifecycle: row.lifecycle,
            counts: try self.counts(of: row.campaign.id.notification)
        )
    }
}
