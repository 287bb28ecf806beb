// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The campaigns, and how far each is planned.
///
/// Its life: `createCampaign`, then by one planner at a time `claimCampaigns` and `advance` step by step. The batches of
/// a step are stored with the plan behind it, in one transaction: whoever takes over goes on exactly there.
/// `CampaignLifecycle` and `CampaignPlan` have the rules. A campaign's batches belong to the notification of its id,
/// which is open until the campaign is planned to its end or ended.
///
/// Whatever changes a campaign's state appends an event of that, in the same transaction: see
/// `EventDraft.campaign(_:_:from:time:)`. What a campaign sends is one notification: `notification.accepted` is appended
/// when that is closed, and `notification.settled` when every target has its outcome.
public protocol CampaignStore: Sendable {
    /// Stores a campaign with the notification that it sends, which has no batches yet.
    ///
    /// Signals ``StoreChange/campaignChanged(_:)``.
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - record: the answer for repetitions of the request, which is stored in the same transaction, or `nil`.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app, `.conflict` when the id is taken, or when there is
    ///   a record under the same key.
    func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws

    /// How far a campaign has come; `nil` when there is no such campaign.
    func campaign(_ id: CampaignID) async throws -> CampaignStatus?

    /// An app's campaigns, the youngest first.
    ///
    /// - Parameters:
    ///   - app: the app; one that does not exist has none.
    ///   - cursor: the campaign behind which to begin; `nil` begins at the youngest.
    ///   - limit: the most campaigns to answer, 1...1000.
    /// - Returns: a page of campaigns.
    /// - Throws: ``StoreError``.
    func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID>

    // MARK: Planning

    /// Leases campaigns that are to be planned to a planner, those first that have waited longest.
    ///
    /// Atomic: two planners never hold the same campaign unless its lease lapsed. Campaigns whose time is over are not
    /// leased: they expire by this. Those that cannot be read fail by this.
    /// - Parameters:
    ///   - planner: who asks.
    ///   - limit: the most campaigns to lease, 1...1000.
    ///   - leaseDuration: how long the lease holds; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: the campaigns.
    /// - Throws: ``StoreError``.
    func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign]

    /// Stores a step of planning with its batches in one transaction, and extends the lease.
    ///
    /// Signals ``StoreChange/batchReady(_:)``. With the last step the notification is closed; when all of its batches
    /// are final, the campaign is finished by this, which is signalled. Repeating a step whose answer was lost changes
    /// nothing.
    /// - Parameters:
    ///   - step: the plan behind the step, and its batches.
    ///   - planner: who holds the lease.
    ///   - leaseDuration: how long the lease is to hold from `now` on.
    ///   - now: the time of the call.
    /// - Throws: ``StoreError`` `.leaseLost` when the planner does not hold the lease, or another one went on: stop
    ///   planning.
    func advance(_ step: CampaignStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws

    /// What of a campaign is planned and has no outcome, and extends the lease.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - planner: who holds the lease.
    ///   - leaseDuration: how long the lease is to hold from `now` on; `nil` leaves it as it is.
    ///   - now: the time; what could have been claimed for 250 ms and was not is overdue.
    /// - Returns: what has no outcome.
    /// - Throws: ``StoreError`` `.leaseLost` when the planner does not hold the lease: stop planning.
    func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog

    /// Ends a planner's lease; does nothing when it lost the lease.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - planner: who holds the lease.
    ///   - end: why, and what is to become of the campaign.
    ///   - now: the time of the call.
    /// - Throws: ``StoreError``.
    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignRelease, now: Date) async throws

    // MARK: Steering

    /// Stops planning and sending a campaign until it is resumed.
    ///
    /// Batches that wait are paused by this. Those that a worker sends are marked: it stops within a second, settles
    /// what it has in flight, and gives them back, which pauses them. Signals ``StoreChange/halted(_:)``.
    /// - Returns: the campaign as it stands now, whether or not this changed anything; `nil` when there is none.
    func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus?

    /// Goes on with a paused campaign. What was planned before is sent at the campaign's rate, from now on.
    ///
    /// Signals ``StoreChange/batchReady(_:)`` and ``StoreChange/campaignChanged(_:)``.
    /// - Returns: the campaign as it stands now, whether or not this changed anything; `nil` when there is none.
    func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus?

    /// Calls a campaign off: nothing more is planned, and what was planned is cancelled as by `cancel`.
    ///
    /// - Returns: the campaign as it stands now, whether or not this changed anything; `nil` when there is none.
    func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus?
}

extension CampaignStore {
    /// Stores a campaign and nothing else; see ``createCampaign(_:noting:)``.
    public func createCampaign(_ campaign: Campaign) async throws {
        try await self.createCampaign(campaign, noting: nil)
    }
}

/// A campaign that a planner holds the lease of.
public struct ClaimedCampaign: Hashable, Sendable {
    /// The campaign.
    public let campaign: Campaign

    /// How far it is planned; `nil` when planning has not begun.
    public let plan: CampaignPlan?

    /// How often in a row it could not be planned.
    public let setbacks: Int

    /// Describes a claim.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - plan: how far it is planned, or `nil`.
    ///   - setbacks: how often in a row it could not be planned.
    public init(campaign: Campaign, plan: CampaignPlan?, setbacks: Int = 0) {
        self.campaign = campaign
        self.plan = plan
        self.setbacks = setbacks
    }
}

/// Why a planner gives a campaign back.
public enum CampaignRelease: Hashable, Sendable {
    /// There is nothing to plan before that time.
    case until(Date)

    /// It could not be planned, which is counted; it is tried again then.
    case setBack(until: Date)

    /// It could not be planned time and again: it has failed, for that reason.
    case failed(reason: String)

    /// Its time is over.
    case expired
}
