// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore
import SQLite

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension SQLiteStore {
    /// Stores a campaign with the notification that it sends; see `CampaignStore`.
    public func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws {
        try await self.write { database, changes in
            let app = try database.requiredNumber(of: campaign.app)
            // First, since it decides whether this is a repetition.
            if let record { try database.insert(record, app: app) }
            try database.create(campaign, app: app, signalling: &changes)
        }
    }

    /// How far a campaign has come; see `CampaignStore`.
    public func campaign(_ id: CampaignID) async throws -> CampaignStatus? {
        try await self.read { database in
            try database.campaign(id).map(database.status(of:))
        }
    }

    /// An app's campaigns, the youngest first; see `CampaignStore`.
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
            let statuses = try rows.map { try database.status(of: CampaignRow(stored: $0)) }
            return Page(overfull: statuses, limit: limit, cursor: \.campaign.id)
        }
    }

    // MARK: Steering

    /// Stops planning and sending a campaign until it is resumed; see `CampaignStore`.
    public func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.steer(id, now: now) { database, row, changes in
            guard row.lifecycle.pause(now: now) else { return }
            try database.update(row)
            _ = try database.halt(id.notification, .pause, now: now, signalling: &changes)
        }
    }

    /// Goes on with a paused campaign; see `CampaignStore`.
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

    /// Calls a campaign off; see `CampaignStore`.
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
