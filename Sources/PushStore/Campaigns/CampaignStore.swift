// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// The campaigns, and how far each is planned.
///
/// One planner at a time calls `claimCampaigns`, and then `advance` for each step. One transaction stores the batches
/// of a step with the plan after it, so another planner can continue exactly there. The batches belong to the
/// notification of the campaign's id, which is open until the campaign is planned completely or has ended.
///
/// Each change of a campaign's state appends its event in the same transaction. `notification.accepted` is appended
/// when the notification is closed, and `notification.completed` when every target has its outcome.
public protocol CampaignStore: Sendable {
    /// Stores a campaign with the notification that it sends, which has no batches yet.
    ///
    /// Signals ``StoreChange/campaignChanged(_:)``. Throws ``StoreError`` `.conflict` if the ID is taken, or if there
    /// is a record under the same key.
    func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws

    func campaign(_ id: CampaignID) async throws -> CampaignStatus?

    /// Returns an app's campaigns, the latest first.
    func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID>

    /// Leases campaigns that are to be planned to a planner, those first that have waited longest.
    ///
    /// Campaigns whose time is over expire, and those that cannot be read fail.
    func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [StoredCampaign]

    /// Stores a step of planning with its batches in one transaction, and extends the lease.
    ///
    /// Signals ``StoreChange/batchReady(_:)``. The last step closes the notification, and finishes the campaign if all
    /// batches are final, which is signalled. The repetition of a step changes nothing.
    func advance(_ step: FanOutStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws

    /// Counts the planned targets without an outcome; extends the lease unless `leaseDuration` is `nil`.
    func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog

    /// Ends a planner's lease; does nothing when it lost the lease.
    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignReleaseReason, now: Date) async throws

    /// Pauses a campaign until it is resumed.
    ///
    /// Queued batches are paused immediately. Claimed batches get a stop request: within one second, the worker stops,
    /// settles what is in flight, and releases them, which pauses them. Signals ``StoreChange/halted(_:)``.
    func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus?

    /// Resumes a paused campaign. Batches that were planned before are sent at the campaign's rate from now on.
    ///
    /// Signals ``StoreChange/batchReady(_:)`` and ``StoreChange/campaignChanged(_:)``.
    func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus?

    /// Cancels a campaign: stops planning, and cancels its batches as `cancel` does.
    func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus?
}

/// Why a planner gives a campaign back.
public enum CampaignReleaseReason: Hashable, Sendable {
    /// There is nothing to plan before that time.
    case until(Date)

    /// It could not be planned, which is counted; it is tried again then.
    case setBack(until: Date)

    /// It could not be planned time and again: it has failed, for that reason.
    case failed(reason: String)

    /// Its time is over.
    case expired
}

/// A campaign as it is stored.
public struct StoredCampaign: Hashable, Sendable {
    public let campaign: Campaign
    public package(set) var lifecycle: CampaignLifecycle

    package init(_ campaign: Campaign) {
        self.campaign = campaign
        self.lifecycle = CampaignLifecycle(campaign)
    }

    package init(stored row: StoredRow) throws {
        self.campaign = try StoredJSON.decode(
            Campaign.self,
            try row.openedText("definition") ?? "",
            "campaign"
        )
        let plan = try row.text("plan").map { try StoredJSON.decode(CampaignFanOut.self, $0, "campaign") }
        guard self.campaign.isWithinLimits, plan?.isWithinLimits ?? true else { throw StoreError.damaged("campaign") }
        self.lifecycle = CampaignLifecycle(
            state: try CampaignState(stored: row),
            plan: plan,
            planner: try row.text("planner").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at"),
            setbacks: try row.number("setbacks", in: StoredLimit.counts),
            pausedAt: try row.optionalDate("paused_at"),
            stretch: try row.optionalDate("runs_since").map {
                CampaignRateBaseline(since: $0, settled: try row.number("runs_from", in: StoredLimit.sums))
            },
            planningTime: try row.date("planning_at"),
            expiresAt: try row.clampedDate("expires_at")
        )
    }
}

extension CampaignState {
    /// The states by their numbers, without ``failed(reason:)``; those from 3 on are final.
    private static let order: [CampaignState] = [.scheduled, .running, .paused, .completed, .cancelled, .expired]

    package static let failedNumber = 6

    package static let damagedReason =
        "The stored campaign is corrupt. Restore the database from a backup, or create it again."

    fileprivate init(stored row: StoredRow) throws {
        let number = try row.number("state")
        guard (0...Self.failedNumber).contains(number) else { throw StoreError.damaged("state of a campaign") }
        self = try number < Self.failedNumber ? Self.order[number] : .failed(reason: row.text("reason") ?? "")
    }

    package var number: Int { Self.order.firstIndex(of: self) ?? Self.failedNumber }

    package var reason: String? {
        if case .failed(let reason) = self { reason } else { nil }
    }
}
