// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore {
    /// Stores a campaign with the notification that it sends; see `CampaignStore`.
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

    /// How far a campaign has come; see `CampaignStore`.
    public func campaign(_ id: CampaignID) async throws -> CampaignStatus? {
        try await self.readSnapshot { connection in
            let found = try connection.queue("SELECT * FROM campaigns WHERE id = $1", [.id(id.value)])
            let counts = try connection.queueCounts(of: [id.notification])
            try connection.commit()
            return try counts.statuses(of: found.rows.map(CampaignRow.init(stored:))).first
        }
    }

    /// An app's campaigns, the youngest first; see `CampaignStore`.
    public func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        let limit = PageLimit.clamp(limit)
        return try await self.readSnapshot { connection in
            let found = try connection.rows(
                """
                SELECT * FROM campaigns WHERE app = (SELECT number FROM apps WHERE id = $1) AND id < $2
                ORDER BY id DESC LIMIT $3
                """,
                [
                    .text(app.rawValue), .id(cursor?.value ?? APNsID(high: .max, low: .max)), .number(limit + 1),
                ]
            ).map(CampaignRow.init(stored:))
            let counts = try connection.queueCounts(of: found.map(\.campaign.id.notification))
            try connection.commit()
            return Page(overfull: try counts.statuses(of: found), limit: limit, cursor: \.campaign.id)
        }
    }

    // MARK: Steering

    /// Stops planning and sending a campaign until it is resumed; see `CampaignStore`.
    public func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { connection, row, batches, changes in
            guard row.lifecycle.pause(now: now) else { return nil }
            try connection.update(row)
            var ends = BatchEnds()
            if try connection.halt(batches, .pause, &ends).stops { changes.append(.halted(id.notification)) }
            return nil
        }
    }

    /// Goes on with a paused campaign; see `CampaignStore`.
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

    /// Calls a campaign off; see `CampaignStore`.
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
            let end = try change(connection, &row, batches.rows.map(BatchRow.init(stored:)), &changes)
            var news = FeedNews()
            try connection.tell(of: [end].compactMap(\.self), now: now, in: &news)
            news.add(row, from: former.state, app: Int64(try found.number("app")), now: now)
            let counts = try connection.queueCounts(of: [id.notification])
            let told = try connection.commit(news)
            if let end { changes = try end.changes + changes }
            if row.lifecycle != former { changes.append(.campaignChanged(id)) }
            changes += told
            return try counts.statuses(of: [row]).first
        }
    }
}
