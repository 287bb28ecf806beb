// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import Logging
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: CampaignStore {
    public func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign] {
        let until = now.lease(of: leaseDuration)
        let arguments: StatementArguments = [now.millisecondsSince1970, PageLimit.clamp(limit)]
        // Most often there is nothing, which a read finds out without waiting for those who write.
        let isIdle = try await self.read { try $0.row(Self.claimableQuery, arguments) == nil }
        if isIdle { return [] }
        let logger = self.logger
        return try await self.write(in: .bulk) { database, changes in
            var claimed: [ClaimedCampaign] = []
            for found in try database.rows(Self.claimableQuery, arguments) {
                guard var row = try found.readable(in: "campaigns", { try CampaignRow(stored: $0) }) else {
                    try database.condemn(campaign: found, now: now, signalling: &changes, logger: logger)
                    continue
                }
                let former = row.lifecycle.state
                switch row.lifecycle.claim(by: planner, until: until, now: now) {
                case .granted: claimed.append(row.claimed)
                case .expired: try database.closeNotification(of: row.campaign.id, now: now, signalling: &changes)
                case .refused: throw StoreError.damaged("state of a campaign")
                }
                try database.update(row)
                if row.lifecycle.state != former {
                    try database.note(row, from: former, now: now, signalling: &changes)
                }
            }
            return claimed
        }
    }

    private static let claimableQuery = """
        SELECT * FROM campaigns WHERE claimable_at IS NOT NULL AND claimable_at <= ? ORDER BY claimable_at LIMIT ?
        """

    public func advance(
        _ step: CampaignStep,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws {
        let until = now.lease(of: leaseDuration)
        // Encoded before the transaction, which others wait for.
        let contents = step.batches.map {
            (planned: $0, kind: $0.batch.kind, payload: $0.batch.payload.encoded)
        }
        try await self.write(in: .bulk) { database, changes in
            guard var row = try database.campaign(step.campaign) else {
                throw StoreError.leaseLost(campaign: step.campaign, planner: planner)
            }
            switch row.lifecycle.advance(to: step.plan, by: planner, until: until) {
            case .applied: break
            case .alreadyApplied: return
            case .leaseLost: throw StoreError.leaseLost(campaign: step.campaign, planner: planner)
            }
            let app = try database.requiredNumber(of: row.campaign.app)
            for content in contents {
                try database.insert(content.planned, kind: content.kind, payload: content.payload, app: app)
            }
            try database.update(row)
            let targets = step.batches.reduce(0) { $0 + $1.batch.targets.count }
            try database.run(
                "UPDATE notifications SET target_count = target_count + ?, batch_count = batch_count + ? WHERE id = ?",
                [targets, step.batches.count, step.campaign.value.stored]
            )
            if step.batches.contains(where: { $0.failure == nil }) { changes.append(.batchReady(.bulk)) }
            if step.plan.isDone { try database.closeNotification(of: step.campaign, now: now, signalling: &changes) }
        }
    }

    public func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        if let leaseDuration {
            let until = now.lease(of: leaseDuration)
            try await self.change(campaign, planner: planner, now: now) { $0.extendLease(of: planner, until: until) }
        }
        let overdue = now.millisecondsSince1970 - CampaignBacklog.patience
        return try await self.read { database in
            let held = try database.row(
                "SELECT 1 FROM campaigns WHERE id = ? AND planner = ?",
                [campaign.value.stored, planner.rawValue]
            )
            guard held != nil else { throw StoreError.leaseLost(campaign: campaign, planner: planner) }
            let row = try database.row(
                """
                SELECT sum(count) AS targets,
                    sum(CASE WHEN claimable_at <= ? AND state <> 1 THEN count ELSE 0 END) AS overdue
                FROM (
                    SELECT claimable_at, state,
                        max(0, min(target_count - next_target, \(Batch.maximumTargets))) AS count
                    FROM batches WHERE notification = ? AND (state < 3 OR state = 7)
                )
                """,
                [overdue, campaign.value.stored]
            )
            return CampaignBacklog(
                targets: try row?.optionalNumber("targets") ?? 0,
                overdue: try row?.optionalNumber("overdue") ?? 0
            )
        }
    }

    public func release(
        _ campaign: CampaignID,
        planner: WorkerID,
        as end: CampaignRelease,
        now: Date
    ) async throws {
        do {
            try await self.change(campaign, planner: planner, now: now) { $0.release(by: planner, as: end) }
        } catch let error as StoreError where error.code == .leaseLost {
            return
        }
    }

    /// Applies an event of a planner that holds the lease.
    private func change(
        _ campaign: CampaignID,
        planner: WorkerID,
        now: Date,
        _ event: @escaping @Sendable (inout CampaignLifecycle) -> Bool
    ) async throws {
        try await self.write(in: .bulk) { database, changes in
            guard var row = try database.campaign(campaign) else {
                throw StoreError.leaseLost(campaign: campaign, planner: planner)
            }
            let former = row.lifecycle.state
            guard event(&row.lifecycle) else { throw StoreError.leaseLost(campaign: campaign, planner: planner) }
            try database.update(row)
            if row.lifecycle.state.isFinal {
                try database.closeNotification(of: campaign, now: now, signalling: &changes)
            }
            if row.lifecycle.state != former {
                try database.note(row, from: former, now: now, signalling: &changes)
            }
        }
    }
}

extension Database {
    /// Ends a campaign that cannot be read, since it would be claimed for ever.
    fileprivate func condemn(
        campaign row: Row,
        now: Date,
        signalling changes: inout [StoreChange],
        logger: Logger
    ) throws {
        let bytes = try row.blob("id")
        let id = APNsID(stored: bytes).map { CampaignID($0) }
        logger.error("Failed a corrupt campaign", metadata: ["campaign.id": "\(id?.description ?? "unreadable")"])
        try self.run(
            "UPDATE campaigns SET state = ?, reason = ?, planner = NULL, claimable_at = NULL WHERE id = ?",
            [CampaignState.failedNumber, CampaignState.damagedReason, bytes]
        )
        guard let id else { return }
        try self.closeNotification(of: id, now: now, signalling: &changes)
        changes.append(.campaignChanged(id))
        let app = try row.int64("app")
        let event = EventDraft.campaignFailed(
            id,
            of: try self.id(ofApp: app),
            reason: CampaignState.damagedReason,
            time: now
        )
        try self.append(event, app: app, signalling: &changes)
    }
}
