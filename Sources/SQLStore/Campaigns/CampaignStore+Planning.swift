// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension CampaignStore where Self: SQLBacked {
    public func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [StoredCampaign] {
        // Rows keep milliseconds. By a finer time, a campaign that is due by its index would not be due by its state.
        let now = now.keptToMilliseconds
        let until = now.lease(of: leaseDuration)
        let claimable = SQL.claimableCampaigns(now: now, limit: PageLimit.clamp(limit))
        // Usually nothing is due.
        let isDue = try await self.sql.finds("SELECT 1 FROM campaigns WHERE claimable_at <= \(now) LIMIT 1")
        guard isDue else { return [] }
        let (claimed, ended) = try await self.sql.write(in: .bulk) { transaction in
            var claimed: [StoredCampaign] = []
            var ended: [CampaignID] = []
            for found in try transaction.rows(claimable) {
                guard let id = APNsID(stored: try found.blob("id")).map({ CampaignID($0) }) else {
                    try transaction.failCorruptCampaign(found)
                    continue
                }
                guard var row = try found.readable(in: "campaigns", { try StoredCampaign(stored: $0) }) else {
                    ended.append(id)
                    continue
                }
                let former = row.lifecycle.state
                switch row.lifecycle.claim(by: planner, until: until, now: now) {
                case .granted:
                    try transaction.save(row, from: former, app: found.int64("app"), now: now)
                    claimed.append(row)
                case .expired: ended.append(id)
                case .refused:
                    // Only a corrupt campaign is claimable while it is paused, or after its end.
                    try transaction.run("UPDATE campaigns SET claimable_at = NULL WHERE id = \(id.value) AND state > 1")
                }
            }
            return (claimed, ended)
        }
        do {
            for campaign in ended { try await self.end(campaign, planner: planner, now: now) }
        } catch  where !claimed.isEmpty {
            // The leased campaigns are returned. The next claim meets the same error and reports it.
        }
        return claimed
    }

    /// Ends an expired or corrupt campaign.
    ///
    /// This needs a separate transaction, because all transactions lock the notification before the campaign.
    private func end(_ id: CampaignID, planner: WorkerID, now: Date) async throws {
        try await self.sql.write(in: .bulk) { transaction in
            guard let found = try transaction.lockedCampaign(id) else { return }
            let app = try found.int64("app")
            if var row = try? StoredCampaign(stored: found) {
                let former = row.lifecycle.state
                // Another planner may have ended it.
                guard case .expired = row.lifecycle.claim(by: planner, until: now, now: now) else { return }
                try transaction.save(row, from: former, app: app, now: now)
            } else {
                guard try found.integer("claimable_at") != nil else { return }
                try transaction.failCorruptCampaign(found)
                transaction.close(id.notification, now: now)
                try transaction.countOff()
                transaction.signal(.campaignChanged(id))
                guard let owner = try transaction.first("SELECT id FROM apps WHERE number = \(app)") else { return }
                let reason = CampaignState.damagedReason
                transaction.append(
                    .campaignFailed(id, of: try owner.identifier("id"), reason: reason, time: now),
                    app: app
                )
            }
        }
    }

    public func advance(_ step: FanOutStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        let until = now.lease(of: leaseDuration)
        // Encoded before the transaction, which keeps a connection and locks.
        let drafts = step.batches.map { NewBatch($0) }
        try await self.sql.write(in: .bulk) { transaction in
            let app = try transaction.run(
                """
                SELECT apps.number AS number FROM campaigns JOIN apps ON apps.number = campaigns.app
                WHERE campaigns.id = \(step.campaign.value)\(lock: " FOR KEY SHARE OF apps")
                """
            )
            // Contents take the longest, and PostgreSQL stores them before it locks the campaign.
            try transaction.insertContents(of: drafts)
            guard let found = try transaction.lockedCampaign(step.campaign),
                let app = try app.rows.first?.int64("number")
            else { throw StoreError.leaseLost("campaign \(step.campaign)", holder: planner) }
            var row = try StoredCampaign(stored: found)
            switch row.lifecycle.advance(to: step.plan, by: planner, until: until) {
            case .applied: break
            case .alreadyApplied: return
            case .leaseLost: throw StoreError.leaseLost("campaign \(step.campaign)", holder: planner)
            }
            try transaction.update(row)
            try transaction.insert(drafts, app: app, hasContents: true)
            let unsettled = step.batches.count { $0.failure == nil }
            if !drafts.isEmpty {
                try transaction.add(
                    targets: step.batches.reduce(0) { $0 + $1.batch.targets.count },
                    batches: drafts.count,
                    unsettled: unsettled,
                    to: step.campaign.notification
                )
            }
            if unsettled > 0 { transaction.signal(.batchReady(.bulk)) }
            if step.plan.isDone { transaction.close(step.campaign.notification, now: now) }
        }
    }

    public func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        let isHeld: SQL = "id = \(campaign.value) AND planner = \(planner)"
        guard let leaseDuration else {
            return try await self.sql.snapshot { reader in
                let held = try reader.run("SELECT 1 FROM campaigns WHERE \(isHeld)")
                let backlog = try reader.run(SQL.backlog(of: campaign, now: now))
                try reader.commit()
                guard try !held.rows.isEmpty else {
                    throw StoreError.leaseLost("campaign \(campaign)", holder: planner)
                }
                return try CampaignBacklog(stored: backlog.rows.first)
            }
        }
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(in: .bulk) { transaction in
            let held = try transaction.run("UPDATE campaigns SET claimable_at = \(until) WHERE \(isHeld)")
            let backlog = try transaction.run(SQL.backlog(of: campaign, now: now))
            try transaction.commit()
            guard try held.changes > 0 else { throw StoreError.leaseLost("campaign \(campaign)", holder: planner) }
            return try CampaignBacklog(stored: backlog.rows.first)
        }
    }

    public func release(
        _ campaign: CampaignID,
        planner: WorkerID,
        as end: CampaignReleaseReason,
        now: Date
    ) async throws {
        try await self.sql.write(in: .bulk) { transaction in
            guard let found = try transaction.lockedCampaign(campaign) else { return }
            var row = try StoredCampaign(stored: found)
            let former = row.lifecycle.state
            let isHeld =
                switch end {
                case .until(let time): row.lifecycle.release(by: planner, until: time.keptToMilliseconds)
                case .setBack(let time): row.lifecycle.setBack(by: planner, until: time.keptToMilliseconds)
                case .failed(let reason): row.lifecycle.fail(by: planner, reason: reason)
                case .expired: row.lifecycle.expire(by: planner)
                }
            if isHeld { try transaction.save(row, from: former, app: found.int64("app"), now: now) }
        }
    }
}

extension SQL {
    /// The campaigns to be planned that wait, the longest first.
    package static func claimableCampaigns(now: Date, limit: Int) -> SQL {
        """
        SELECT * FROM campaigns WHERE claimable_at <= \(now) ORDER BY claimable_at LIMIT \(limit)\
        \(lock: " FOR NO KEY UPDATE SKIP LOCKED")
        """
    }

    /// Counts the targets of a campaign that are planned and have no outcome, and those of them that are overdue: their
    /// batch could have been claimed 250 ms ago.
    fileprivate static func backlog(of campaign: CampaignID, now: Date) -> SQL {
        let overdue = now.millisecondsSince1970 - 250
        return """
            SELECT CAST(coalesce(sum(count), 0) AS bigint) AS targets,
                CAST(coalesce(sum(CASE WHEN claimable_at <= \(overdue) AND state <> 1 THEN count END), 0) AS bigint)
                    AS overdue
            FROM (
                SELECT claimable_at, state, \(SQL.clamped("CAST(target_count AS bigint) - next_target")) AS count
                FROM batches WHERE notification = \(campaign.value) AND (state < 3 OR state = 7)
            ) AS unsettled
            """
    }
}

extension CampaignBacklog {
    fileprivate init(stored row: StoredRow?) throws {
        self.init(targets: try row?.number("targets") ?? 0, overdue: try row?.number("overdue") ?? 0)
    }
}
