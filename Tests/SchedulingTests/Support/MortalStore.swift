// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Synchronization

/// The store as a process sees it that dies after some steps of planning: from then on nothing of it arrives.
final class MortalStore: AudienceStore, CampaignStore, StoreSignals {
    private let base: any AudienceStore & CampaignStore & StoreSignals
    private let steps: Mutex<Int>
    private let arrives: Bool
    private let died: AsyncStream<Void>.Continuation

    /// Ends when the process is dead.
    let death: AsyncStream<Void>

    /// - Parameters:
    ///   - base: the store.
    ///   - steps: how many steps the process lives for.
    ///   - arrives: whether the last step arrives without the process hearing of it, or not at all.
    init(_ base: any AudienceStore & CampaignStore & StoreSignals, steps: Int, arrives: Bool) {
        self.base = base
        self.steps = Mutex(steps)
        self.arrives = arrives
        (self.death, self.died) = AsyncStream.makeStream()
    }

    private func live() throws {
        guard self.steps.withLock({ $0 > 0 }) else {
            throw StoreError(code: .unavailable, message: "the process is dead")
        }
    }

    func advance(_ step: CampaignStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        try self.live()
        let isLast = self.steps.withLock { steps in
            steps -= 1
            return steps == 0
        }
        if !isLast || self.arrives {
            try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
        }
        guard isLast else { return }
        self.died.finish()
        throw StoreError(code: .unavailable, message: "the process is dead")
    }

    func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign] {
        try self.live()
        return try await self.base.claimCampaigns(
            planner: planner,
            limit: limit,
            leaseDuration: leaseDuration,
            now: now
        )
    }

    func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        try self.live()
        return try await self.base.backlog(of: campaign, planner: planner, leaseDuration: leaseDuration, now: now)
    }

    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignRelease, now: Date) async throws {
        try self.live()
        try await self.base.release(campaign, planner: planner, as: end, now: now)
    }

    func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        try await self.base.members(of: audience, app: app, in: range, limit: limit, depth: depth)
    }

    func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        try await self.base.count(of: audience, app: app, through: through)
    }

    func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        try await self.base.timeZones(of: audience, app: app, through: through)
    }

    func lastPlace(of app: AppID) async throws -> Int64 { try await self.base.lastPlace(of: app) }

    func createCampaign(_ campaign: Campaign) async throws { try await self.base.createCampaign(campaign) }

    func campaign(_ id: CampaignID) async throws -> CampaignStatus? { try await self.base.campaign(id) }

    func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        try await self.base.campaigns(of: app, after: cursor, limit: limit)
    }

    func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.base.pauseCampaign(id, now: now)
    }

    func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.base.resumeCampaign(id, now: now)
    }

    func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.base.cancelCampaign(id, now: now)
    }

    func changes() -> AsyncStream<StoreChange> { self.base.changes() }
}
