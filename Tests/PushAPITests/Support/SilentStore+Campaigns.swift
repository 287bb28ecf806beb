// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension SilentStore: AudienceStore, CampaignStore {
    func halted(among batches: [BatchID]) async throws -> Set<BatchID> { try await self.base.halted(among: batches) }

    func nextClaim(in lane: Lane, after now: Date) async throws -> Date? {
        try await self.base.nextClaim(in: lane, after: now)
    }

    func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        try await self.base.count(of: audience, app: app, through: through)
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

    func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign] {
        try await self.base.claimCampaigns(planner: planner, limit: limit, leaseDuration: leaseDuration, now: now)
    }

    func advance(_ step: CampaignStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
    }

    func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        try await self.base.backlog(of: campaign, planner: planner, leaseDuration: leaseDuration, now: now)
    }

    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignRelease, now: Date) async throws {
        try await self.base.release(campaign, planner: planner, as: end, now: now)
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
}
