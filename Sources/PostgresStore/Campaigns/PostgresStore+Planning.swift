// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore

extension PostgresStore: CampaignStore {
    public func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign] {
        let until = now.lease(of: leaseDuration)
        let limit = PageLimit.clamp(limit)
        let (claimed, overdue) = try await self.write { connection, changes in
            var claimed: [ClaimedCampaign] = []
            var overdue: [CampaignID] = []
            var news = FeedNews()
            let found = try connection.rows(
                Self.claimableQuery,
                [.integer(now.millisecondsSince1970), .number(limit)]
            )
            for found in found {
                guard let id = APNsID(stored: try found.blob("id")).map({ CampaignID($0) }) else { continue }
                guard var row = try found.readable(in: "campaigns", { try CampaignRow(stored: $0) }) else {
                    overdue.append(id)
                    continue
                }
                let former = row.lifecycle.state
                switch row.lifecycle.claim(by: planner, until: until, now: now) {
                case .granted:
                    try connection.update(row)
                    claimed.append(row.claimed)
                    guard row.lifecycle.state != former else { continue }
                    changes.append(.campaignChanged(id))
                    news.add(row, from: former, app: try found.int64("app"), now: now)
                case .expired: overdue.append(id)
                case .refused: throw StoreError.damaged("state of a campaign")
                }
            }
            changes += try connection.append(news)
            return (claimed, overdue)
        }
        for campaign in overdue { try await self.end(campaign, planner: planner, now: now) }
        return claimed
    }

    static let claimableQuery = """
        SELECT * FROM campaigns WHERE claimable_at <= $1 ORDER BY claimable_at LIMIT $2
        FOR NO KEY UPDATE SKIP LOCKED
        """

    /// Ends a campaign whose time is over, or that cannot be read, since it would be claimed for ever.
    ///
    /// By itself, since its notification is locked before it.
    private func end(_ campaign: CampaignID, planner: WorkerID, now: Date) async throws {
        let logger = self.logger
        try await self.write { connection, changes in
            guard let found = try connection.lockedCampaignRow(campaign) else { return }
            let app = try found.int64("app")
            var ended: (row: CampaignRow, former: CampaignState)?
            if var row = try? CampaignRow(stored: found) {
                let former = row.lifecycle.state
                // Another planner may have been faster.
                guard case .expired = row.lifecycle.claim(by: planner, until: now, now: now) else { return }
                try connection.update(row)
                ended = (row, former)
            } else {
                guard try found.integer("claimable_at") != nil else { return }
                logger.error("Failed a corrupt campaign", metadata: ["campaign.id": "\(campaign)"])
                try connection.condemn(campaign)
            }
            let end = try connection.close(campaign.notification)
            var news = FeedNews()
            try connection.tell(of: [end], now: now, in: &news)
            if let ended {
                news.add(ended.row, from: ended.former, app: app, now: now)
            } else if let id = try end.app {
                let reason = CampaignState.damagedReason
                news.add(.campaignFailed(campaign, of: id, reason: reason, time: now), app: app)
            }
            let told = try connection.commit(news)
            changes = try end.changes + [.campaignChanged(campaign)] + told
        }
    }

    public func advance(
        _ step: CampaignStep,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws {
        let until = now.lease(of: leaseDuration)
        // Encoded before the transaction, which keeps a connection and locks.
        let drafts = step.batches.map { BatchDraft($0) }
        try await self.write { connection, changes in
            let app = try connection.queue(
                """
                SELECT apps.number FROM apps JOIN campaigns ON campaigns.app = apps.number WHERE campaigns.id = $1
                FOR KEY SHARE OF apps
                """,
                [.id(step.campaign.value)]
            )
            // Contents refer to nothing, and writing them takes the longest: nobody waits for the campaign meanwhile.
            for draft in drafts { try connection.insertContent(of: draft) }
            guard var row = try connection.lockedCampaign(step.campaign), let app = try app.rows.first?.int64("number")
            else { throw StoreError.leaseLost(campaign: step.campaign, planner: planner) }
            switch row.lifecycle.advance(to: step.plan, by: planner, until: until) {
            case .applied: break
            case .alreadyApplied: return
            case .leaseLost: throw StoreError.leaseLost(campaign: step.campaign, planner: planner)
            }
            try connection.update(row)
            try connection.insert(drafts, app: app)
            let sent = step.batches.count { $0.failure == nil }
            if !drafts.isEmpty {
                let targets = step.batches.reduce(0) { $0 + $1.batch.targets.count }
                try connection.queue(
                    """
                    UPDATE notifications SET target_count = target_count + $2, batch_count = batch_count + $3,
                        open_batches = open_batches + $4 WHERE id = $1
                    """,
                    [.id(step.campaign.value), .number(targets), .number(drafts.count), .number(sent)]
                )
            }
            let end = step.plan.isDone ? try connection.close(step.campaign.notification) : nil
            var news = FeedNews()
            try connection.tell(of: [end].compactMap(\.self), now: now, in: &news)
            let told = try connection.commit(news)
            changes = try (sent > 0 ? [.batchReady(.bulk)] : []) + (end?.changes ?? []) + told
        }
    }

    public func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        guard let leaseDuration else {
            return try await self.readSnapshot { connection in
                let held = try connection.queue(
                    "SELECT 1 FROM campaigns WHERE id = $1 AND planner = $2",
                    [.id(campaign.value), .text(planner.rawValue)]
                )
                return try connection.backlog(of: campaign, planner: planner, held: held, now: now)
            }
        }
        let until = now.lease(of: leaseDuration)
        return try await self.write { connection in
            let held = try connection.queue(
                "UPDATE campaigns SET claimable_at = $3 WHERE id = $1 AND planner = $2",
                [.id(campaign.value), .text(planner.rawValue), .integer(until.millisecondsSince1970)]
            )
            return try connection.backlog(of: campaign, planner: planner, held: held, now: now)
        }
    }

    public func release(
        _ campaign: CampaignID,
        planner: WorkerID,
        as end: CampaignRelease,
        now: Date
    ) async throws {
        try await self.write { connection, changes in
            guard let found = try connection.lockedCampaignRow(campaign) else { return }
            var row = try CampaignRow(stored: found)
            let former = row.lifecycle.state
            guard row.lifecycle.release(by: planner, as: end) else { return }
            try connection.update(row)
            let closed = row.lifecycle.state.isFinal ? try connection.close(campaign.notification) : nil
            var news = FeedNews()
            try connection.tell(of: [closed].compactMap(\.self), now: now, in: &news)
            news.add(row, from: former, app: try found.int64("app"), now: now)
            let told = try connection.commit(news)
            changes = try closed?.changes ?? []
            if row.lifecycle.state != former { changes.append(.campaignChanged(campaign)) }
            changes += told
        }
    }
}

extension PostgresConnection {
    /// Reads what of a campaign has no outcome, and ends the transaction.
    ///
    /// The planner holds the lease if the statement of `held` returned or changed a row.
    /// - Throws: `StoreError` `.leaseLost`, ``PostgresFailure``.
    fileprivate func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        held: PostgresReply,
        now: Date
    ) throws -> CampaignBacklog {
        let sums = try self.queue(
            """
            SELECT coalesce(sum(count), 0) AS targets,
                coalesce(sum(count) FILTER (WHERE claimable_at <= $2 AND state <> 1), 0) AS overdue
            FROM (
                SELECT claimable_at, state,
                    greatest(0, least(target_count::bigint - next_target, \(Batch.maximumTargets)))::integer AS count
                FROM batches WHERE notification = $1 AND (state < 3 OR state = 7)
            ) AS unsettled
            """,
            [.id(campaign.value), .integer(now.millisecondsSince1970 - CampaignBacklog.patience)]
        )
        try self.commit()
        guard held.changes > 0 else { throw StoreError.leaseLost(campaign: campaign, planner: planner) }
        guard let row = sums.rows.first else { return CampaignBacklog() }
        return CampaignBacklog(targets: try row.number("targets"), overdue: try row.number("overdue"))
    }
}
