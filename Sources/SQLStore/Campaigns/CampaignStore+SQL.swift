// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension CampaignStore where Self: SQLBacked {
    public func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws {
        try await self.sql.write(
            storedRow: { _ in "SELECT 1 FROM campaigns WHERE id = \(campaign.id.value)" }
        ) { transaction in
            let app = try transaction.lockedNumber(of: campaign.app)
            // First, because it decides whether the request is a repetition.
            if let record { try transaction.insert(record, app: app) }
            try transaction.create(campaign, app: app)
            try transaction.audit(created: StoredCampaign(campaign))
        }
    }

    public func campaign(_ id: CampaignID) async throws -> CampaignStatus? {
        try await self.sql.snapshot { reader in
            let found = try reader.run("SELECT * FROM campaigns WHERE id = \(id.value)")
            let counts = try reader.counts(of: id.notification)
            try reader.commit()
            return try counts.statuses(of: found.rows.map { try StoredCampaign(stored: $0) }).first
        }
    }

    public func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        let end = cursor?.value ?? APNsID(high: .max, low: .max)
        return try await self.sql.snapshot { reader in
            let page = try reader.page(
                "SELECT * FROM campaigns WHERE app = \(SQL.number(of: app)) AND id < \(end) ORDER BY id DESC",
                in: "campaigns",
                limit: limit,
                cursor: { try $0.blob("id") }
            ) { try StoredCampaign(stored: $0) }
            let notifications = page.elements.map(\.campaign.id.value)
            let counts = try reader.counts(where: "batches.notification \(each: notifications)")
            try reader.commit()
            let next = page.next.flatMap(APNsID.init(stored:)).map { CampaignID($0) }
            return Page(elements: try counts.statuses(of: page.elements), next: next)
        }
    }

    public func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.control(id, .paused, now: now) { transaction, row, batches in
            guard row.lifecycle.pause(now: now) else { return }
            try transaction.update(row)
            _ = try transaction.halt(batches, .pause, now: now)
        }
    }

    public func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.control(id, .resumed, now: now) { transaction, row, batches in
            guard row.lifecycle.state == .paused else { return }
            let rate = row.lifecycle.plan?.paceAt == nil ? nil : row.campaign.rate
            var turn = now
            let pause = row.lifecycle.pauseLength(now: now)
            for var batch in batches {
                guard batch.lifecycle.resume(notBefore: rate == nil ? nil : turn, after: pause) else { continue }
                try transaction.update(batch)
                if let rate { turn += Double(batch.lifecycle.remaining) / rate }
            }
            let counts = try transaction.counts(of: id.notification).byNotification[id.notification]
            _ = row.lifecycle.resume(now: now, paceAt: turn, settled: counts?.worked ?? 0)
            try transaction.update(row)
            transaction.signal(.batchReady(.bulk))
        }
    }

    public func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.control(id, .cancelled, now: now) { transaction, row, batches in
            guard row.lifecycle.cancel() else { return }
            try transaction.update(row)
            _ = try transaction.halt(batches, .cancel, now: now)
            transaction.close(id.notification, now: now)
        }
    }

    /// Changes a campaign and its batches that are not final.
    private func control(
        _ id: CampaignID,
        _ verb: AuditVerb,
        now: Date,
        _ change: @escaping @Sendable (SQLTransaction, inout StoredCampaign, [BatchRow]) throws -> Void
    ) async throws -> CampaignStatus? {
        try await self.sql.write { transaction in
            // All transactions lock the batches of a notification before the notification.
            var batches = try transaction.lockUnsettledBatches(of: id.notification)
            guard let found = try transaction.lockedCampaign(id) else { return nil }
            var row = try StoredCampaign(stored: found)
            if transaction.dialect == .postgres, !row.lifecycle.isPlanned {
                // A planner may have added batches before the campaign was locked. This transaction and one that ends such
                // a batch may wait for each other. PostgreSQL then fails one of them, which runs again.
                batches = try transaction.lockUnsettledBatches(of: id.notification)
            }
            let former = row.lifecycle
            try change(transaction, &row, transaction.readableBatches(batches.rows))
            // Before the event of the campaign, and before its batches are counted for the result.
            try transaction.countOff()
            if row.lifecycle != former {
                try transaction.audit(verb, row, from: former.state)
                transaction.report(row, from: former.state, app: try found.int64("app"), now: now)
            }
            let counts = try transaction.counts(of: id.notification)
            try transaction.commit()
            return try counts.statuses(of: [row]).first
        }
    }
}

extension NotificationCounts {
    fileprivate func statuses(of rows: [StoredCampaign]) throws -> [CampaignStatus] {
        let counts = try self.byNotification
        return rows.map { row in
            CampaignStatus(
                campaign: row.campaign,
                lifecycle: row.lifecycle,
                counts: counts[row.campaign.id.notification] ?? OutcomeCounts()
            )
        }
    }
}
