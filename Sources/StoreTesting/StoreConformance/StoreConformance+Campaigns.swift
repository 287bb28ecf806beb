// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let campaigns = [
        Check("a campaign comes back as it was created, with an open notification of its id") { store in
            try await store.addSampleApp()
            let start = LocalStart(
                time: try LocalTime("2026-03-29T02:30"),
                fallbackZone: "Asia/Tokyo",
                sendPassed: false
            )
            let campaign = try CampaignSamples.campaign(
                audience: .and([.topic("news"), .not(.users(["anna"]))]),
                start: .local(start),
                throttle: 17,
                expiresAt: StoreSamples.after(10_000_000)
            )
            var changes = store.changes().makeAsyncIterator()
            try await store.createCampaign(campaign)
            try expectEqual(await changes.next(), .campaignChanged(campaign.id), "the signal")
            let status = try await store.status(of: campaign)
            try expectEqual(status.campaign, campaign, "the campaign")
            try expectEqual(status.lifecycle, CampaignLifecycle(campaign), "its lifecycle")
            try expectEqual(status.counts, OutcomeCounts(), "its counts")
            let notification = try require(try await store.notification(campaign.id.notification), "the notification")
            try expect(notification.isOpen && !notification.isDone, "the notification is closed")
            try expectEqual(try await store.campaign(CampaignID(now: StoreSamples.now)), nil, "another campaign")
        },
        Check("a campaign needs an app and an id of its own, and goes with its app") { store in
            let campaign = try CampaignSamples.campaign()
            try await expectError(.notFound, "no app") { try await store.createCampaign(campaign) }
            try await store.addSampleApp()
            try await store.createCampaign(campaign)
            try await expectError(.conflict, "the same id again") { try await store.createCampaign(campaign) }
            try await store.deleteApp(StoreSamples.app)
            try expectEqual(try await store.campaign(campaign.id), nil, "the campaign")
            try expectEqual(try await store.claimCampaigns().count, 0, "what is left to plan")
        },
        Check("campaigns are listed page by page, the youngest first") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            let campaigns = try (0..<5).map { try CampaignSamples.campaign(now: StoreSamples.after(Double($0))) }
            for campaign in campaigns { try await store.createCampaign(campaign) }
            try await store.createCampaign(try CampaignSamples.campaign(app: StoreSamples.otherApp))
            var listed: [CampaignID] = []
            var cursor: CampaignID?
            repeat {
                let page = try await store.campaigns(of: StoreSamples.app, after: cursor, limit: 2)
                listed += page.elements.map(\.campaign.id)
                cursor = page.next
            } while cursor != nil
            try expectEqual(listed, campaigns.reversed().map(\.id), "the campaigns")
        },
    ]
}
