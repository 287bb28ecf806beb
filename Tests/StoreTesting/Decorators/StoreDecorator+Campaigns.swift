// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    public func createCampaign(_ campaign: Campaign, noting record: IdempotencyRecord?) async throws {
        try await self.delegate { try await self.base.createCampaign(campaign, noting: record) }
    }

    public func campaign(_ id: CampaignID) async throws -> CampaignStatus? {
        try await self.delegate { try await self.base.campaign(id) }
    }

    public func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        try await self.delegate { try await self.base.campaigns(of: app, after: cursor, limit: limit) }
    }

    public func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign] {
        try await self.delegate {
            try await self.base.claimCampaigns(planner: planner, limit: limit, leaseDuration: leaseDuration, now: now)
        }
    }

    public func advance(_ step: CampaignStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        try await self.delegate {
            try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    public func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        try await self.delegate {
            try await self.base.backlog(of: campaign, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    public func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignRelease, now: Date) async throws {
        try await self.delegate { try await self.base.release(campaign, planner: planner, as: end, now: now) }
    }

    public func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.delegate { try await self.base.pauseCampaign(id, now: now) }
    }

    public func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.delegate { try await self.base.resumeCampaign(id, now: now) }
    }

    public func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
        try await self.delegate { try await self.base.cancelCampaign(id, now: now) }
    }
}
