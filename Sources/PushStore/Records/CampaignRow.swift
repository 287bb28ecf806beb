// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A campaign as it is stored: what never changes, and how far it has come.
package struct CampaignRow: Sendable {
    package let campaign: Campaign
    package var lifecycle: CampaignLifecycle

    /// A campaign of which nothing was planned.
    package init(_ campaign: Campaign) {
        self.campaign = campaign
        self.lifecycle = CampaignLifecycle(campaign)
    }

    /// Reads the columns of the table `campaigns`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.campaign = try Self.decode(Campaign.self, try row.string("definition"))
        self.lifecycle = CampaignLifecycle(
            state: try CampaignState(stored: row),
            plan: try row.text("plan").map { try Self.decode(CampaignPlan.self, $0) },
            planner: try row.text("planner").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at"),
            setbacks: try row.number("setbacks"),
            pausedAt: try row.optionalDate("paused_at"),
            stretch: try row.optionalDate("runs_since").map {
                CampaignStretch(since: $0, settled: try row.number("runs_from"))
            },
            planningTime: try row.date("planning_at"),
            expiresAt: try row.optionalDate("expires_at")
        )
    }

    /// What the column `definition` holds.
    package var storedDefinition: String { get throws { try Self.encode(self.campaign) } }

    /// What the column `plan` holds.
    package var storedPlan: String? { get throws { try self.lifecycle.plan.map { try Self.encode($0) } } }

    /// The campaign as a planner is given it who has claimed it.
    package var claimed: ClaimedCampaign {
        ClaimedCampaign(campaign: self.campaign, plan: self.lifecycle.plan, setbacks: self.lifecycle.setbacks)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StoreError.damaged("campaign")
        }
    }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension CampaignState {
    /// The number of `failed`.
    package static let failedNumber = 6

    /// Why a campaign has failed that cannot be read.
    package static let damagedReason = "What was stored of it cannot be read."

    fileprivate init(stored row: some StoredRow) throws {
        switch try row.number("state") {
        case 0: self = .scheduled
        case 1: self = .running
        case 2: self = .paused
        case 3: self = .finished
        case 4: self = .cancelled
        case 5: self = .expired
        case Self.failedNumber: self = .failed(reason: try row.text("reason") ?? "")
        default: throw StoreError.damaged("state of a campaign")
        }
    }

    /// The number in which it is stored; those from 3 on are final.
    package var number: Int {
        switch self {
        case .scheduled: 0
        case .running: 1
        case .paused: 2
        case .finished: 3
        case .cancelled: 4
        case .expired: 5
        case .failed: Self.failedNumber
        }
    }

    /// Why the campaign failed, or `nil`.
    package var reason: String? {
        if case .failed(let reason) = self { reason } else { nil }
    }
}

extension CampaignLifecycle {
    /// Applies the end of a planner's lease.
    ///
    /// - Returns: whether the planner held it; nothing changes when it did not.
    package mutating func release(by planner: WorkerID, as end: CampaignRelease) -> Bool {
        switch end {
        case .until(let time): self.release(by: planner, until: time.keptToMilliseconds)
        case .setBack(let time): self.setBack(by: planner, until: time.keptToMilliseconds)
        case .failed(let reason): self.fail(by: planner, reason: reason)
        case .expired: self.expire(by: planner)
        }
    }
}

extension CampaignBacklog {
    /// How long in milliseconds a batch could have been claimed that counts as overdue.
    package static let patience: Int64 = 250
}
