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

@Suite("Stores: pausing", .timeLimit(.minutes(20)))
struct PausingTests {
    @Test(
        "pauses take nothing away from the patience of what was planned before them",
        arguments: TestStoreBackend.allCases
    )
    func patience(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 3, isLast: false)
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(1))
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(200_001.25))
            let first = try #require(
                try await store.claim(.bulk, now: StoreFixtures.after(200_002)).first,
                "the batch after the first pause"
            )
            #expect(first.held == .milliseconds(200_000_250), "how long it was held")
            let expected = try #require(first.batch.headers.expiration, "the expiration").rawValue + 200_000
            #expect(first.headers.expiration?.rawValue == expected, "until when APNs keeps it")
            #expect(first.expiry(maximumAge: .seconds(30)) == StoreFixtures.after(200_030.25), "until when it is tried")
            #expect(
                first.expiry(maximumAge: .seconds(86_400)) == StoreFixtures.after(200_060),
                "until when it is tried that is worth something for a minute"
            )
            try await store.release(first.batch.id, worker: first.worker, now: StoreFixtures.after(200_003))
            // A second pause counts as well, for what was planned in between only that one.
            let claimed = try #require(
                try await store.claimCampaigns(now: StoreFixtures.after(200_003)).first,
                "the campaign"
            )
            let resumed = try #require(claimed.lifecycle.plan, "its plan")
            #expect(resumed.planned == plan.planned, "what was planned")
            let step = try CampaignFixtures.step(
                campaign,
                resumed,
                targets: 3..<5,
                isLast: true,
                now: StoreFixtures.after(200_003)
            )
            try await store.advance(step, now: StoreFixtures.after(200_003))
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(200_010))
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(200_015))
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(200_110))
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(200_120))
            let both = try await store.claim(.bulk, now: StoreFixtures.after(200_121))
            #expect(
                both.sorted { $0.batch.ordinal < $1.batch.ordinal }.map(\.held) == [
                    .milliseconds(200_100_250), .seconds(100),
                ],
                "how long both were held"
            )
        }
    }

    @Test("a pause does not move the time that the campaign itself ends at", arguments: TestStoreBackend.allCases)
    func endTime(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign(expiresAt: StoreFixtures.after(520))
            _ = try await store.run(campaign, targets: 3)
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(1))
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(500))
            let claimed = try #require(try await store.claim(.bulk, now: StoreFixtures.after(501)).first, "the batch")
            #expect(claimed.expiry(maximumAge: .seconds(86_400)) == StoreFixtures.after(520), "its end")
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.after(502))
            let claimedCount = try await store.claim(.bulk, now: StoreFixtures.after(520)).count
            #expect(claimedCount == 0, "what is sent later")
            let counts = try await store.status(of: campaign).counts
            #expect(counts == OutcomeCounts(failed: [.expired: 3]), "the counts")
        }
    }

    @Test(
        "a campaign may be created paused, and begins once it is resumed, not before its start",
        arguments: TestStoreBackend.allCases
    )
    func createPaused(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for (number, start) in [CampaignStart.now, .at(StoreFixtures.after(1000))].enumerated() {
                let campaign = try CampaignFixtures.campaign(start: start, startsPaused: true)
                try await store.createCampaign(campaign)
                let status = try await store.status(of: campaign)
                #expect(status.lifecycle == CampaignLifecycle(campaign), "its lifecycle")
                #expect(status.lifecycle.state == .paused, "its state")
                #expect(status.campaign.startsPaused, "it is not known that it was created paused")
                let early = try await store.claimCampaigns(now: StoreFixtures.after(2000))
                #expect(early.count == 0, "what can be planned")
                let resumed = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(10))
                #expect(resumed?.lifecycle.state == .scheduled, "its state when it is resumed")
                let claimed = try await store.claimCampaigns(now: StoreFixtures.after(10))
                #expect(claimed.map(\.campaign) == (number == 0 ? [campaign] : []), "what can be planned then")
                _ = try await store.cancelCampaign(campaign.id, now: StoreFixtures.after(11))
            }
        }
    }

    @Test(
        "since when a campaign runs is known, and how many outcomes it had by then",
        arguments: TestStoreBackend.allCases
    )
    func runsSince(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 5)
            let begun = try await store.status(of: campaign)
            #expect(begun.lifecycle.stretch == CampaignRateBaseline(since: StoreFixtures.now, settled: 0), "its start")
            #expect(begun.perSecond(now: StoreFixtures.after(2)) == nil, "its rate without outcomes")
            let claimed = try #require(try await store.claim(.bulk).first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreFixtures.after(1))
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.after(1))
            let perSecond = try await store.status(of: campaign).perSecond(now: StoreFixtures.after(2))
            #expect(perSecond == 1.5, "its rate")
            let paused = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(3))
            #expect(paused?.perSecond(now: StoreFixtures.after(4)) == nil, "its rate while it is paused")
            let resumed = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(50))
            #expect(
                resumed?.lifecycle.stretch == CampaignRateBaseline(since: StoreFixtures.after(50), settled: 3),
                "where it stood when it was resumed"
            )
        }
    }
}
