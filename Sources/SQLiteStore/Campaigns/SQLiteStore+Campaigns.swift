// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore {
    public func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws {
        try await self.write { database, changes in
            let app = try database.requiredNumber(of: campaign.app)
            // First, since it decides whether this is a repetition.
            if let record { try database.insert(record, app: app) }
            try database.create(campaign, app: app, signalling: &changes)
        }
    }

    public func campaign(_ id: CampaignID) async throws -> CampaignStatus? {
        try await self.read { database in
            try database.campaign(id).map(database.status(of:))
        }
    }

    public func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.number(of: app) else { return Page(elements: [], next: nil) }
            let end = cursor?.value.stored ?? Array(repeating: 0xFF, count: 17)
            let rows = try database.rows(
                "SELECT * FROM campaigns WHERE app = ? AND id < ? ORDER BY id DESC LIMIT ?",
                [number, end, limit + 1]
            )
            let page = Page(overfull: try rows.map { try $0.blob("id") }, limit: limit) { $0 }
            let found = try rows.prefix(limit).mapReadable(in: "campaigns") {
                try database.status(of: CampaignRow(stored: $0))
            }
            return Page(elements: found, next: page.next.flatMap(APNsID.init(stored:)).map { CampaignID($0) })
        }
    }

    // MARK: Steering

    public func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { database, row, changes in
            guard row.lifecycle.pause(now: now) else { return }
            try database.update(row)
            _ = try database.halt(id.notification, .pause, now: now, signalling: &changes)
        }
    }

    public func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { database, row, changes in
            let paced = row.lifecycle.plan?.paceAt == nil ? nil : row.campaign.rate
            var turn = now
            guard row.lifecycle.state == .paused else { return }
            let pause = row.lifecycle.pauseLength(now: now)
            for var batch in try database.unsettledBatches(of: id.notification) {
                guard batch.lifecycle.resume(notBefore: paced.map { _ in turn }, after: pause) else { continue }
                try database.update(batch)
                if let paced { turn += Double(batch.lifecycle.remaining) / paced }
            }
            let settled = try database.counts(of: id.notification).worked
            _ = row.lifecycle.resume(now: now, paceAt: turn, settled: settled)
            try database.update(row)
            changes.append(.batchReady(.bulk))
        }
    }

    public func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { database, row, changes in
            guard row.lifecycle.cancel() else { return }
            try database.update(row)
            // Closed first, so that the last batch that is cancelled settles the notification.
            try database.sealNotification(of: id, now: now, signalling: &changes)
            _ = try database.halt(id.notification, .cancel, now: now, signalling: &changes)
            if !changes.contains(.notificationSettled(id.notification)) {
                try database.settleIfDone(id.notification, now: now, signalling: &changes)
            }
        }
    }

    private func steer(
        _ id: CampaignID,
        now: Date,
        _ change: @escaping @Sendable (Database, inout CampaignRow, inout [StoreChange]) throws -> Void
    ) async throws -> CampaignStatus? {
        try await self.write { database, changes in
            guard var row = try database.campaign(id) else { return nil }
            let former = row.lifecycle
            try change(database, &row, &changes)
            if row.lifecycle != former {
                try database.note(row, from: former.state, now: now, signalling: &changes)
            }
            return try database.status(of: row)
        }
    }
}

extension Database {
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
    ///
    /// No batch counts for more targets than it can have: what is damaged keeps no notification from being settled.
    func counts(of notification: NotificationID) throws -> OutcomeCounts {
        let id = notification.value.stored
        let delivered = try self.row(Self.deliveredQuery, [id])
        var counts = OutcomeCounts(delivered: try delivered?.number("sum") ?? 0)
        for row in try self.rows(Self.countsQuery, [id]) { try counts.add(stored: row) }
        return counts
    }

    private static let deliveredQuery = """
        SELECT coalesce(sum(max(0, min(delivered, \(Batch.maximumTargets)))), 0) AS sum FROM batches
        WHERE notification = ?
        """

    private static let countsQuery = """
        SELECT batch_counts.kind, name, sum(max(0, min(count, \(Batch.maximumTargets)))) AS count
        FROM batches CROSS JOIN batch_counts ON batch = batches.id
        WHERE notification = ? GROUP BY batch_counts.kind, name
        """

    func status(of row: CampaignRow) throws -> CampaignStatus {
        CampaignStatus(
            campaign: row.campaign,
            lifecycle: row.lifecycle,
            counts: try self.counts(of: row.campaign.id.notification)
        )
    }
}

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
        let app = try row.int64("app")
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
            return try self.campaign(id)
        } catch let error as StoreError where error.code == .corrupt {
            return nil
        }
    }
}
