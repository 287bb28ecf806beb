// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore {
    public func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws {
        try await self.write(
            isStored: { connection, _ in
                try connection.row("SELECT 1 FROM campaigns WHERE id = $1", [.id(campaign.id.value)]) != nil
            }
        ) { connection, changes in
            let app = try connection.lockedNumber(of: campaign.app)
            // First, since it decides whether this is a repetition.
            if let record { try connection.insert(record, app: app) }
            var news = FeedNews()
            try connection.create(campaign, app: app, telling: &news)
            changes = try [.campaignChanged(campaign.id)] + connection.append(news)
        }
    }

    public func campaign(_ id: CampaignID) async throws -> CampaignStatus? {
        try await self.readSnapshot { connection in
            let found = try connection.queue("SELECT * FROM campaigns WHERE id = $1", [.id(id.value)])
            let counts = try connection.queueCounts(of: [id.notification])
            try connection.commit()
            return try counts.statuses(of: found.rows.map(CampaignRow.init(stored:))).first
        }
    }

    public func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        let limit = PageLimit.clamp(limit)
        return try await self.readSnapshot { connection in
            let rows = try connection.rows(
                """
                SELECT * FROM campaigns WHERE app = (SELECT number FROM apps WHERE id = $1) AND id < $2
                ORDER BY id DESC LIMIT $3
                """,
                [
                    .text(app.rawValue), .id(cursor?.value ?? APNsID(high: .max, low: .max)), .number(limit + 1),
                ]
            )
            let page = Page(overfull: try rows.map { try $0.blob("id") }, limit: limit) { $0 }
            let found = try rows.prefix(limit).mapReadable(in: "campaigns") { try CampaignRow(stored: $0) }
            let counts = try connection.queueCounts(of: found.map(\.campaign.id.notification))
            try connection.commit()
            return Page(
                elements: try counts.statuses(of: found),
                next: page.next.flatMap(APNsID.init(stored:)).map { CampaignID($0) }
            )
        }
    }

    // MARK: Steering

    public func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { connection, row, batches, changes in
            guard row.lifecycle.pause(now: now) else { return nil }
            try connection.update(row)
            var ends = BatchEnds()
            if try connection.halt(batches, .pause, &ends).stops { changes.append(.halted(id.notification)) }
            return nil
        }
    }

    public func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { connection, row, batches, changes in
            let paced = row.lifecycle.plan?.paceAt == nil ? nil : row.campaign.rate
            var turn = now
            guard row.lifecycle.state == .paused else { return nil }
            let pause = row.lifecycle.pauseLength(now: now)
            for var batch in batches {
                guard batch.lifecycle.resume(notBefore: paced.map { _ in turn }, after: pause) else { continue }
                try connection.update(batch)
                if let paced { turn += Double(batch.lifecycle.remaining) / paced }
            }
            let counts = try connection.queueCounts(of: [id.notification])
            try connection.receive()
            let settled = try counts.byNotification()[id.notification]?.worked ?? 0
            _ = row.lifecycle.resume(now: now, paceAt: turn, settled: settled)
            try connection.update(row)
            changes.append(.batchReady(.bulk))
            return nil
        }
    }

    public func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { connection, row, batches, changes in
            guard row.lifecycle.cancel() else { return nil }
            try connection.update(row)
            var ends = BatchEnds()
            if try connection.halt(batches, .cancel, &ends).stops { changes.append(.halted(id.notification)) }
            return try connection.close(id.notification, countingOff: ends.batches(of: id.notification))
        }
    }

    /// Changes a campaign and its batches that are not final.
    ///
    /// The batches are locked before the campaign, as by those who settle them.
    private func steer(
        _ id: CampaignID,
        now: Date,
        _ change:
            @escaping @Sendable (
                PostgresConnection, inout CampaignRow, [BatchRow], inout [StoreChange]
            ) throws -> NotificationEnd?
    ) async throws -> CampaignStatus? {
        try await self.write { connection, changes in
            var batches = try connection.lockUnsettledBatches(of: id.notification)
            guard let found = try connection.lockedCampaignRow(id) else { return nil }
            var row = try CampaignRow(stored: found)
            if !row.lifecycle.isPlanned {
                // Some may have been added before the campaign was locked; from then on none are. Whoever ends one of
                // these just now waits for this transaction, as this one does for them: one of both runs again.
                batches = try connection.lockUnsettledBatches(of: id.notification)
                try connection.receive()
            }
            let former = row.lifecycle
            let unsettled = try connection.readableBatches(batches.rows)
            let end = try change(connection, &row, unsettled, &changes)
            var news = FeedNews()
            try connection.tell(of: [end].compactMap(\.self), now: now, in: &news)
            news.add(row, from: former.state, app: try found.int64("app"), now: now)
            let counts = try connection.queueCounts(of: [id.notification])
            let told = try connection.commit(news)
            if let end { changes = try end.changes + changes }
            if row.lifecycle != former { changes.append(.campaignChanged(id)) }
            changes += told
            return try counts.statuses(of: [row]).first
        }
    }
}

extension PostgresConnection {
    /// The campaign of that id, which nobody else changes before the transaction ends, or `nil`.
    ///
    /// Its notification is locked as well, and first, since what ends batches has it before it comes to the campaign.
    func lockedCampaign(_ id: CampaignID) throws -> CampaignRow? {
        try self.lockedCampaignRow(id).map(CampaignRow.init(stored:))
    }

    /// As ``lockedCampaign(_:)``, for a campaign that may be unreadable.
    func lockedCampaignRow(_ id: CampaignID) throws -> PostgresRow? {
        try self.queue("SELECT 1 FROM notifications WHERE id = $1 FOR NO KEY UPDATE", [.id(id.value)])
        return try self.row("SELECT * FROM campaigns WHERE id = $1 FOR NO KEY UPDATE", [.id(id.value)])
    }

    /// Queues that a campaign is added with the notification that it sends.
    func create(_ campaign: Campaign, app: Int64, telling news: inout FeedNews) throws {
        try self.queue(
            """
            INSERT INTO notifications (id, app, created_at, target_count, batch_count, open_batches, is_open)
            VALUES ($1, $2, $3, 0, 0, 0, true)
            """,
            [.id(campaign.id.value), .integer(app), .integer(campaign.createdAt.millisecondsSince1970)]
        )
        let row = CampaignRow(campaign)
        try self.insert(row, app: app)
        news.add(row, from: nil, app: app, now: campaign.createdAt)
    }

    /// Queues that a campaign is added.
    func insert(_ row: CampaignRow, app: Int64) throws {
        let campaign = row.campaign
        try self.queue(
            """
            INSERT INTO campaigns
                (id, app, definition, state, claimable_at, setbacks, planning_at, expires_at, paused_at)
            VALUES ($1, $2, $3, $7, $4, 0, $5, $6, $8)
            """,
            [
                .id(campaign.id.value), .integer(app), .text(try row.storedDefinition),
                .integer(row.lifecycle.claimableAt?.millisecondsSince1970),
                .integer(row.lifecycle.planningTime.millisecondsSince1970),
                .integer(campaign.expiresAt?.millisecondsSince1970), .number(row.lifecycle.state.number),
                .integer(row.lifecycle.pausedAt?.millisecondsSince1970),
            ]
        )
    }

    /// Queues that what changes about a campaign is written back.
    func update(_ row: CampaignRow) throws {
        let lifecycle = row.lifecycle
        try self.queue(
            """
            UPDATE campaigns SET state = $2, reason = $3, plan = $4, planner = $5, claimable_at = $6, setbacks = $7,
                paused_at = $8, runs_since = $9, runs_from = $10 WHERE id = $1
            """,
            [
                .id(row.campaign.id.value), .number(lifecycle.state.number), .text(lifecycle.state.reason),
                .text(try row.storedPlan), .text(lifecycle.planner?.rawValue),
                .integer(lifecycle.claimableAt?.millisecondsSince1970), .number(lifecycle.setbacks),
                .integer(lifecycle.pausedAt?.millisecondsSince1970),
                .integer(lifecycle.stretch?.since.millisecondsSince1970), .number(lifecycle.stretch?.settled),
            ]
        )
    }

    /// Queues that a campaign ends which cannot be read.
    func condemn(_ campaign: CampaignID) throws {
        try self.queue(
            "UPDATE campaigns SET state = $2, reason = $3, planner = NULL, claimable_at = NULL WHERE id = $1",
            [.id(campaign.value), .number(CampaignState.failedNumber), .text(CampaignState.damagedReason)]
        )
    }

    /// Queues that is read what the targets of notifications came to so far.
    func queueCounts(of notifications: [NotificationID]) throws -> NotificationCounts {
        let ids = PostgresValue.ids(notifications.map(\.value))
        let delivered = try self.queue(
            """
            SELECT notification, sum(greatest(0, least(delivered, \(Batch.maximumTargets)))) AS count FROM batches
            WHERE notification = ANY($1::uuid[]) GROUP BY notification
            """,
            [ids]
        )
        let others = try self.queue(
            """
            SELECT batches.notification, batch_counts.kind, batch_counts.name,
                sum(greatest(0, least(batch_counts.count, \(Batch.maximumTargets)))) AS count
            FROM batches JOIN batch_counts ON batch_counts.batch = batches.id
            WHERE batches.notification = ANY($1::uuid[])
            GROUP BY batches.notification, batch_counts.kind, batch_counts.name
            """,
            [ids]
        )
        return NotificationCounts(delivered: delivered, others: others)
    }
}

/// What the targets of notifications came to, once that has been received.
struct NotificationCounts {
    fileprivate let delivered: PostgresReply
    fileprivate let others: PostgresReply

    /// The counts; of those without batches there are none.
    func byNotification() throws -> [NotificationID: OutcomeCounts] {
        var counts: [NotificationID: OutcomeCounts] = [:]
        for row in self.delivered.rows {
            counts[try Self.id(of: row), default: OutcomeCounts()].delivered = try row.number("count")
        }
        for row in self.others.rows {
            try counts[try Self.id(of: row), default: OutcomeCounts()].add(stored: row)
        }
        return counts
    }

    private static func id(of row: PostgresRow) throws -> NotificationID {
        guard let id = APNsID(stored: try row.blob("notification")) else { throw StoreError.damaged("notification") }
        return NotificationID(id)
    }

    func statuses(of rows: [CampaignRow]) throws -> [CampaignStatus] {
        let counts = try self.byNotification()
        return rows.map { row in
            CampaignStatus(
                campaign: row.campaign,
                lifecycle: row.lifecycle,
                counts: counts[row.campaign.id.notification] ?? OutcomeCounts()
            )
        }
    }
}
