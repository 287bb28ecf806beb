// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import GRDB
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A campaign as it is stored: what never changes, and how far it has come.
struct CampaignRow {
    let campaign: Campaign
    var lifecycle: CampaignLifecycle

    init(_ campaign: Campaign) {
        self.campaign = campaign
        self.lifecycle = CampaignLifecycle(campaign)
    }

    init(row: Row) throws {
        self.campaign = try Self.decode(Campaign.self, row["definition"])
        self.lifecycle = CampaignLifecycle(
            state: try CampaignState(row: row),
            plan: try (row["plan"] as String?).map { try Self.decode(CampaignPlan.self, $0) },
            planner: (row["planner"] as String?).flatMap { WorkerID(rawValue: $0) },
            claimableAt: row.optionalDate("claimable_at"),
            setbacks: row["setbacks"],
            planningTime: row.date("planning_at"),
            expiresAt: row.optionalDate("expires_at")
        )
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StoreError.damaged("campaign")
        }
    }
}

extension CampaignState {
    fileprivate init(row: Row) throws {
        switch row["state"] as Int {
        case 0: self = .scheduled
        case 1: self = .running
        case 2: self = .paused
        case 3: self = .finished
        case 4: self = .cancelled
        case 5: self = .expired
        case 6: self = .failed(reason: row["reason"] ?? "")
        default: throw StoreError.damaged("state of a campaign")
        }
    }

    /// The number in which it is stored.
    fileprivate var number: Int {
        switch self {
        case .scheduled: 0
        case .running: 1
        case .paused: 2
        case .finished: 3
        case .cancelled: 4
        case .expired: 5
        case .failed: 6
        }
    }
}

extension Database {
    /// The campaign of that id, or `nil`.
    func campaign(_ id: CampaignID) throws -> CampaignRow? {
        try self.row("SELECT * FROM campaigns WHERE id = ?", [id.value.stored]).map(CampaignRow.init(row:))
    }

    /// Adds a campaign.
    func insert(_ row: CampaignRow, app: Int64) throws {
        let campaign = row.campaign
        try self.run(
            """
            INSERT INTO campaigns (id, app, definition, state, claimable_at, setbacks, planning_at, expires_at)
            VALUES (?, ?, ?, 0, ?, 0, ?, ?)
            """,
            [
                campaign.id.value.stored, app, try Self.json(campaign),
                row.lifecycle.claimableAt?.millisecondsSince1970,
                row.lifecycle.planningTime.millisecondsSince1970, campaign.expiresAt?.millisecondsSince1970,
            ]
        )
    }

    /// Writes back what changes about a campaign.
    func update(_ row: CampaignRow) throws {
        let lifecycle = row.lifecycle
        let reason: String? = if case .failed(let reason) = lifecycle.state { reason } else { nil }
        try self.run(
            """
            UPDATE campaigns SET state = ?, reason = ?, plan = ?, planner = ?, claimable_at = ?, setbacks = ?
            WHERE id = ?
            """,
            [
                lifecycle.state.number, reason, try lifecycle.plan.map { try Self.json($0) },
                lifecycle.planner?.rawValue, lifecycle.claimableAt?.millisecondsSince1970, lifecycle.setbacks,
                row.campaign.id.value.stored,
            ]
        )
    }

    /// Lets no more batches be added to a campaign's notification, which may be settled by that.
    func closeNotification(of campaign: CampaignID, signalling changes: inout [StoreChange]) throws {
        try self.run("UPDATE notifications SET is_open = 0 WHERE id = ?", [campaign.value.stored])
        try self.settleIfDone(campaign.notification, signalling: &changes)
    }

    /// What the targets of a notification came to so far, all batches together.
    func counts(of notification: NotificationID) throws -> OutcomeCounts {
        let id = notification.value.stored
        let delivered = try self.row("SELECT sum(delivered) AS sum FROM batches WHERE notification = ?", [id])
        var counts = OutcomeCounts(delivered: delivered?["sum"] ?? 0)
        let rows = try self.rows(
            """
            SELECT batch_counts.kind, name, sum(count) AS sum FROM batches CROSS JOIN batch_counts ON batch = batches.id
            WHERE notification = ? GROUP BY batch_counts.kind, name
            """,
            [id]
        )
        for row in rows {
            if row["kind"] == 1 {
                counts.rejected[RejectionReason(rawValue: row["name"])] = row["sum"]
            } else {
                counts.failed[FailureCode(rawValue: row["name"])] = row["sum"]
            }
        }
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

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
