// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLExecutor {
    /// The row of a campaign, which no other transaction changes before this one ends; `nil` if there is none.
    ///
    /// All transactions lock the notification of a campaign before the campaign.
    func lockedCampaign(_ id: CampaignID) throws -> StoredRow? {
        try self.lock("SELECT 1 FROM notifications WHERE id = \(id.value) FOR NO KEY UPDATE")
        return try self.first("SELECT * FROM campaigns WHERE id = \(id.value)\(lock: " FOR NO KEY UPDATE")")
    }

    func update(_ row: StoredCampaign) throws {
        let lifecycle = row.lifecycle
        let plan = try lifecycle.plan.map(StoredJSON.encode)
        try self.run(
            """
            UPDATE campaigns SET state = \(lifecycle.state.number), reason = \(lifecycle.state.reason),
                plan = \(plan), planner = \(lifecycle.planner), claimable_at = \(lifecycle.claimableAt),
                setbacks = \(lifecycle.setbacks), paused_at = \(lifecycle.pausedAt),
                runs_since = \(lifecycle.stretch?.since), runs_from = \(lifecycle.stretch?.settled)
            WHERE id = \(row.campaign.id.value)
            """
        )
    }

    /// Fails a campaign that cannot be read, because it would be claimed again and again.
    func failCorruptCampaign(_ row: StoredRow) throws {
        let bytes = try row.blob("id")
        let id = APNsID(stored: bytes)
        CorruptRowLog.logFailure(of: "campaign", key: "campaign.id", id?.description ?? "unreadable")
        let key: SQL = if let id { "\(id)" } else { "\(bytes)" }
        try self.run(
            """
            UPDATE campaigns SET state = \(CampaignState.failedNumber), reason = \(CampaignState.damagedReason),
                planner = NULL, claimable_at = NULL
            WHERE id = \(key)
            """
        )
    }

    /// Adds a notification to which batches can be added.
    func openNotification(_ id: NotificationID, createdAt: Date, app: Int64) throws {
        try self.run(
            """
            INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open)
            VALUES (\(id.value), \(app), \(createdAt), 0, 0, true)
            """
        )
    }

    /// Adds to the numbers of targets and batches of a notification that is open.
    ///
    /// `unsettled` is the number of the batches that are not final.
    func add(targets: Int, batches: Int, unsettled: Int, to notification: NotificationID) throws {
        let open: SQL = self.dialect == .postgres ? ", open_batches = open_batches + \(unsettled)" : ""
        try self.run(
            """
            UPDATE notifications SET target_count = target_count + \(targets),
                batch_count = batch_count + \(batches)\(open)
            WHERE id = \(notification.value)
            """
        )
    }

    func counts(of notification: NotificationID) throws -> NotificationCounts {
        try self.counts(where: "batches.notification = \(notification.value)")
    }

    /// Reads the outcomes of the notifications of some batches, without a wait for them.
    func counts(where condition: SQL) throws -> NotificationCounts {
        NotificationCounts(
            delivered: try self.run(
                """
                SELECT notification, CAST(sum(\(SQL.clamped("delivered"))) AS bigint) AS count FROM batches
                WHERE \(condition) GROUP BY notification
                """
            ),
            others: try self.run(
                """
                SELECT batches.notification, batch_counts.kind, batch_counts.name,
                    CAST(sum(\(SQL.clamped("batch_counts.count"))) AS bigint) AS count
                FROM batches \(SQL.orderedJoin) batch_counts ON batch_counts.batch = batches.id
                WHERE \(condition) GROUP BY batches.notification, batch_counts.kind, batch_counts.name
                """
            )
        )
    }
}

extension SQLTransaction {
    func create(_ campaign: Campaign, app: Int64) throws {
        let row = StoredCampaign(campaign)
        try self.openNotification(campaign.id.notification, createdAt: campaign.createdAt, app: app)
        try self.run(
            """
            INSERT INTO campaigns
                (id, app, definition, state, claimable_at, setbacks, planning_at, expires_at, paused_at)
            VALUES (\(campaign.id.value), \(app), \(SQLValue.contentText(StoredJSON.encode(campaign))), \(row.lifecycle.state.number),
                \(row.lifecycle.claimableAt), 0, \(row.lifecycle.planningTime), \(campaign.expiresAt),
                \(row.lifecycle.pausedAt))
            """
        )
        self.report(row, from: nil, app: app, now: campaign.createdAt)
    }

    /// Writes a campaign that its planner changed, and closes its notification at its end.
    func save(_ row: StoredCampaign, from former: CampaignState, app: Int64, now: Date) throws {
        try self.update(row)
        if row.lifecycle.state.isFinal { self.close(row.campaign.id.notification, now: now) }
        // Before the event of the campaign.
        try self.countOff()
        if row.lifecycle.state != former { self.report(row, from: former, app: app, now: now) }
    }

    /// Signals that a campaign was created or has changed, and appends the event of its state if that is new.
    func report(_ row: StoredCampaign, from former: CampaignState?, app: Int64, now: Date) {
        self.signal(.campaignChanged(row.campaign.id))
        let event = NewEvent.campaign(row.campaign, row.lifecycle, from: former, time: now)
        if let event { self.append(event, app: app) }
    }
}

struct NotificationCounts {
    fileprivate let delivered: any SQLResult
    fileprivate let others: any SQLResult

    var byNotification: [NotificationID: OutcomeCounts] {
        get throws {
            var counts: [NotificationID: OutcomeCounts] = [:]
            for row in try self.delivered.rows {
                let id = NotificationID(try row.apnsID("notification"))
                counts[id, default: OutcomeCounts()].delivered = try row.number("count")
            }
            for row in try self.others.rows {
                let id = NotificationID(try row.apnsID("notification"))
                try counts[id, default: OutcomeCounts()].add(stored: row)
            }
            return counts
        }
    }
}

extension SQL {
    /// A number of targets of a batch, at most as many as a batch can have.
    ///
    /// A corrupt number keeps no notification from being settled.
    static func clamped(_ number: SQL) -> SQL {
        """
        CASE WHEN \(number) < 0 THEN 0 WHEN \(number) > \(Batch.maximumTargets) THEN \(Batch.maximumTargets)
            ELSE \(number) END
        """
    }
}
