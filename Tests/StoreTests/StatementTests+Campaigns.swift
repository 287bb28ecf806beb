// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

extension StatementTests {
    static func campaigns(_ store: some CampaignStore) async throws {
        let (planner, now) = (CampaignFixtures.planner, StoreFixtures.now)
        let campaign = try CampaignFixtures.campaign()
        _ = try await store.run(campaign, targets: 2, isLast: false)
        for lease in [nil, CampaignFixtures.lease] {
            let backlog = try await store.backlog(of: campaign.id, planner: planner, leaseDuration: lease, now: now)
            #expect(backlog.targets == 2)
        }
        try await store.release(campaign.id, planner: planner, as: .until(now), now: now)
        #expect(try await store.pauseCampaign(campaign.id, now: now)?.lifecycle.state == .paused)
        #expect(try await store.resumeCampaign(campaign.id, now: now)?.lifecycle.state == .running)
        #expect(try await store.cancelCampaign(campaign.id, now: now)?.lifecycle.state == .cancelled)
        #expect(try await store.status(of: campaign).isCompleted)
        let expiring = try CampaignFixtures.campaign(expiresAt: StoreFixtures.after(1))
        try await store.createCampaign(expiring)
        _ = try await store.claimCampaigns(now: StoreFixtures.after(60))
        #expect(try await store.status(of: expiring).lifecycle.state == .expired)
        #expect(try await store.campaigns(of: StoreFixtures.app, after: nil, limit: 1).elements.count == 1)
    }
}
