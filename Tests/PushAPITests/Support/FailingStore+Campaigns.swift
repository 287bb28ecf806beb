// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension FailingStore: AudienceStore, CampaignStore {
    func halted(among batches: [BatchID]) async throws -> Set<BatchID> { throw self.error }

    func nextClaim(in lane: Lane, after now: Date) async throws -> Date? { throw self.error }

    func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int { throw self.error }

    func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        throw self.error
    }

    func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        throw self.error
    }

    func lastPlace(of app: AppID) async throws -> Int64 { throw self.error }

    func createCampaign(_ campaign: Campaign) async throws { throw self.error }

    func campaign(_ id: CampaignID) async throws -> CampaignStatus? { throw self.error }

    func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int
    ) async throws -> Page<CampaignStatus, CampaignID> {
        throw self.error
    }

    func claimCampaigns(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedCampaign] {
        throw self.error
    }

    func advance(_ step: CampaignStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        throw self.error
    }

    func backlog(
        of campaign: CampaignID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> CampaignBacklog {
        throw self.error
    }

    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignRelease, now: Date) async throws {
        throw self.error
    }

    func pauseCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? { throw self.error }

    func resumeCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? { throw self.error }

    func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? { throw self.error }
}
