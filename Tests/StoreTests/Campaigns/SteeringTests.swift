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

@Suite("Stores: steering", .timeLimit(.minutes(20)))
struct SteeringTests {
    @Test("a paused campaign is neither planned nor sent until it is resumed", arguments: TestStoreBackend.allCases)
    func pause(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 3, isLast: false)
            let paused = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(1))
            #expect(paused?.lifecycle.state == .paused, "the state")
            let claimedCount = try await store.claim(.bulk, now: StoreFixtures.after(100)).count
            #expect(claimedCount == 0, "what can be claimed")
            let claimableCount = try await store.claimCampaigns(now: StoreFixtures.after(100)).count
            #expect(claimableCount == 0, "what can be planned")
            try await expectError(.leaseLost, "a step of its planner") {
                try await store.advance(try CampaignFixtures.step(campaign, plan, targets: 3..<5))
            }
            let repeated = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(2))
            #expect(repeated?.lifecycle.state == .paused, "the state when it is paused again")
            let resumed = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(100))
            #expect(resumed?.lifecycle.state == .running, "the state when it is resumed")
            let claimed = try await store.claim(.bulk, now: StoreFixtures.after(100))
            #expect(claimed.map(\.batch.targets.count) == [3], "the batches")
            let planned = try await store.claimCampaigns(now: StoreFixtures.after(100))
            #expect(planned.first?.lifecycle.plan?.planned == 3, "the plan")
        }
    }

    @Test(
        "what is being sent when a campaign is paused has its outcome, and only the rest is paused",
        arguments: TestStoreBackend.allCases
    )
    func pauseWhileSent(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 5)
            let claimed = try #require(try await store.claim(.bulk).first, "the batch")
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(1))
            let halted = try await store.halted(among: [claimed.batch.id])
            #expect(halted == [claimed.batch.id], "what is halted")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreFixtures.after(1))
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
            let claimedCount = try await store.claim(.bulk, now: StoreFixtures.after(100)).count
            #expect(claimedCount == 0, "what can be claimed")
            let status = try await store.status(of: campaign)
            #expect(status.counts == OutcomeCounts(delivered: 2), "the counts")
            #expect(status.inFlight == 3, "what is under way")
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(100))
            let again = try #require(
                try await store.claim(.bulk, now: StoreFixtures.after(100)).first,
                "the batch again"
            )
            #expect(again.cursor == 2, "the cursor")
            try await store.settle(Settlement(of: again, range: 2..<5, failures: []), now: StoreFixtures.after(101))
            let lifecycleState = try await store.status(of: campaign).lifecycle.state
            #expect(lifecycleState == .completed, "the state")
        }
    }

    @Test("a throttled campaign is resumed at its rate", arguments: TestStoreBackend.allCases)
    func throttled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign(ratePerSecond: 10)
            let plan = try await store.run(campaign, targets: 10, isLast: false, sendAt: StoreFixtures.after(0.5))
            let step = try CampaignFixtures.step(
                campaign,
                plan,
                targets: 10..<15,
                isLast: true,
                sendAt: StoreFixtures.after(1.5)
            )
            try await store.advance(step)
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.now)
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(100))
            let first = try await store.claim(.bulk, now: StoreFixtures.after(100.9))
            #expect(first.map(\.batch.targets.count) == [10], "the first batch")
            let second = try await store.claim(.bulk, now: StoreFixtures.after(101))
            #expect(second.map(\.batch.targets.count) == [5], "the second batch, when the first has had its time")
        }
    }

    @Test(
        "a cancelled campaign is called off for good, with what was planned of it",
        arguments: TestStoreBackend.allCases
    )
    func cancel(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 4, isLast: false)
            var changes = store.changes().makeAsyncIterator()
            let cancelled = try await store.cancelCampaign(campaign.id, now: StoreFixtures.after(1))
            #expect(cancelled?.lifecycle.state == .cancelled, "the state")
            #expect(cancelled?.counts == OutcomeCounts(failed: [.cancelled: 4]), "the counts")
            #expect(cancelled?.isCompleted == true, "whether it is settled")
            let settled = StoreChange.notificationSettled(campaign.id.notification)
            let nextEvent = await changes.nextEvent()
            #expect(nextEvent == settled, "the first signal")
            let secondSignal = await changes.nextEvent()
            #expect(secondSignal == .campaignChanged(campaign.id), "the second signal")
            let claimedCount = try await store.claimCampaigns(now: StoreFixtures.after(100)).count
            #expect(claimedCount == 0, "what can be planned")
            let resumed = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(100))
            #expect(resumed?.lifecycle.state == .cancelled, "the state when it is resumed")
            let none = CampaignID(now: StoreFixtures.now)
            #expect(try await store.cancelCampaign(none, now: StoreFixtures.now) == nil, "cancelling none")
        }
    }

    @Test(
        "a campaign that is cancelled while it is paused ends at once, one without batches too",
        arguments: TestStoreBackend.allCases
    )
    func cancelPaused(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 4)
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(1))
            let cancelled = try await store.cancelCampaign(campaign.id, now: StoreFixtures.after(2))
            #expect(cancelled?.counts == OutcomeCounts(failed: [.cancelled: 4]), "the counts")
            let early = try CampaignFixtures.campaign(start: .at(StoreFixtures.after(1000)))
            try await store.createCampaign(early)
            _ = try await store.cancelCampaign(early.id, now: StoreFixtures.after(2))
            let notification = try #require(try await store.notification(early.id.notification), "the notification")
            #expect(notification.isDone, "its notification is not done")
        }
    }
}
