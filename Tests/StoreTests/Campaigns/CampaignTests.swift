// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: campaigns", .timeLimit(.minutes(20)))
struct CampaignTests {
    @Test(
        "a campaign comes back as it was created, with an open notification of its id",
        arguments: TestStoreBackend.allCases
    )
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let start = LocalStart(
                time: try LocalTime("2026-03-29T02:30"),
                fallbackZone: "Asia/Tokyo",
                sendIfPassed: false
            )
            let campaign = try CampaignFixtures.campaign(
                audience: .and([.topic("news"), .not(.users(["anna"]))]),
                start: .local(start),
                ratePerSecond: 17,
                expiresAt: StoreFixtures.after(10_000_000)
            )
            var changes = store.changes().makeAsyncIterator()
            try await store.createCampaign(campaign)
            let next = await changes.next()
            #expect(next == .campaignChanged(campaign.id), "the signal")
            let status = try await store.status(of: campaign)
            #expect(status.campaign == campaign, "the campaign")
            #expect(status.lifecycle == CampaignLifecycle(campaign), "its lifecycle")
            #expect(status.counts == OutcomeCounts(), "its counts")
            let notification = try #require(try await store.notification(campaign.id.notification), "the notification")
            #expect(notification.isOpen && !notification.isDone, "the notification is closed")
            #expect(try await store.campaign(CampaignID(now: StoreFixtures.now)) == nil, "another campaign")
        }
    }

    @Test("a campaign needs an app and an id of its own, and goes with its app", arguments: TestStoreBackend.allCases)
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let campaign = try CampaignFixtures.campaign()
            try await expectError(.notFound, "no app") { try await store.createCampaign(campaign) }
            try await store.addSampleApp()
            try await store.createCampaign(campaign)
            try await expectError(.conflict, "the same id again") { try await store.createCampaign(campaign) }
            try await store.deleteApp(StoreFixtures.app)
            #expect(try await store.campaign(campaign.id) == nil, "the campaign")
            let claimedCount = try await store.claimCampaigns().count
            #expect(claimedCount == 0, "what is left to plan")
        }
    }

    @Test("campaigns are listed page by page, the youngest first", arguments: TestStoreBackend.allCases)
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let campaigns = try (0..<5).map { try CampaignFixtures.campaign(now: StoreFixtures.after(Double($0))) }
            for campaign in campaigns { try await store.createCampaign(campaign) }
            try await store.createCampaign(try CampaignFixtures.campaign(app: StoreFixtures.otherApp))
            var listed: [CampaignID] = []
            var cursor: CampaignID?
            repeat {
                let page = try await store.campaigns(of: StoreFixtures.app, after: cursor, limit: 2)
                listed += page.elements.map(\.campaign.id)
                cursor = page.next
            } while cursor != nil
            #expect(listed == campaigns.reversed().map(\.id), "the campaigns")
        }
    }
}
