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

@Suite("Stores: planning", .timeLimit(.minutes(20)))
struct PlanningTests {
    @Test("a campaign is claimed when it is due, by one planner at a time", arguments: TestStoreBackend.allCases)
    func claimWhenDue(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let later = try CampaignFixtures.campaign(start: .at(StoreFixtures.after(60)))
            let campaign = try CampaignFixtures.campaign(now: StoreFixtures.after(1))
            try await store.createCampaign(later)
            try await store.createCampaign(campaign)
            let first = try await store.claimCampaigns(now: StoreFixtures.after(1))
            #expect(first.map(\.campaign) == [campaign], "the first claim")
            #expect(first.map(\.lifecycle.plan) == [nil], "the plan of the first claim")
            let lifecycleState = try await store.status(of: campaign).lifecycle.state
            #expect(lifecycleState == .running, "the state")
            let second = try await store.claimCampaigns(by: CampaignFixtures.otherPlanner, now: StoreFixtures.after(15))
            #expect(second.count == 0, "a claim before the lease lapses")
            let third = try await store.claimCampaigns(by: CampaignFixtures.otherPlanner, now: StoreFixtures.after(16))
            #expect(third.map(\.campaign.id) == [campaign.id], "a claim when it has lapsed")
            let fourth = try await store.claimCampaigns(now: StoreFixtures.after(60))
            #expect(Set(fourth.map(\.campaign.id)) == [campaign.id, later.id], "a claim when both are due")
        }
    }

    @Test("planners that claim at once never hold the same campaign", arguments: TestStoreBackend.allCases)
    func concurrentPlanners(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaigns = try (0..<20).map { _ in try CampaignFixtures.campaign() }
            for campaign in campaigns { try await store.createCampaign(campaign) }
            let claimed = try await withThrowingTaskGroup(of: [CampaignID].self) { group in
                for number in 0..<4 {
                    group.addTask {
                        var mine: [CampaignID] = []
                        while true {
                            let found = try await store.claimCampaigns(
                                planner: WorkerID(unchecked: "planner-\(number)"),
                                limit: 3,
                                leaseDuration: CampaignFixtures.lease,
                                now: StoreFixtures.now
                            )
                            if found.isEmpty { return mine }
                            mine += found.map(\.campaign.id)
                        }
                    }
                }
                return try await group.reduce(into: [CampaignID]()) { $0 += $1 }
            }
            #expect(claimed.count == campaigns.count, "how many were claimed")
            #expect(Set(claimed) == Set(campaigns.map(\.id)), "the campaigns")
        }
    }

    @Test(
        "a step stores its batches with the plan, and whoever takes over goes on there",
        arguments: TestStoreBackend.allCases
    )
    func takeOver(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 3, isLast: false)
            let other = try await store.claimCampaigns(by: CampaignFixtures.otherPlanner, now: StoreFixtures.after(15))
            #expect(other.map(\.campaign) == [campaign], "the claim of another planner")
            #expect(other.map(\.lifecycle.plan) == [plan], "the plan of another planner")
            let late = try CampaignFixtures.step(campaign, plan, targets: 3..<5)
            try await expectError(.leaseLost, "a step of the first planner") { try await store.advance(late) }
            let next = try CampaignFixtures.step(
                campaign,
                plan,
                targets: 3..<7,
                isLast: true,
                now: StoreFixtures.after(16)
            )
            try await store.advance(next, by: CampaignFixtures.otherPlanner, now: StoreFixtures.after(16))
            try await store.advance(next, by: CampaignFixtures.otherPlanner, now: StoreFixtures.after(16))
            let claimed = try await store.claim(.bulk, now: StoreFixtures.after(16))
            #expect(claimed.map(\.batch.targets.count) == [3, 4], "the batches")
            let targets = try (0..<7).map { try StoreFixtures.target($0) }
            #expect(claimed.flatMap(\.batch.targets) == targets, "each device once")
            #expect(claimed.map(\.batch.headers.expiration?.rawValue) == [1_767_225_660, 1_767_225_676], "their end")
            let notification = try #require(try await store.notification(campaign.id.notification), "the notification")
            #expect(notification.notification.targetCount == 7, "the targets of the notification")
            #expect(notification.notification.batchCount == 2, "its batches")
            #expect(!notification.isOpen, "the notification is open although all is planned")
        }
    }

    @Test(
        "a campaign is finished with the outcome of its last target, once all is planned",
        arguments: TestStoreBackend.allCases
    )
    func finish(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 2, isLast: false)
            let first = try #require(try await store.claim(.bulk).first, "the first batch")
            var changes = store.changes().makeAsyncIterator()
            let receipt = try await store.settle(
                Settlement(of: first, range: 0..<2, failures: []),
                now: StoreFixtures.now
            )
            #expect(receipt.batchSettled && !receipt.notificationSettled, "the notification is settled too early")
            let nextEvent = await changes.nextEvent()
            #expect(nextEvent == .batchSettled(campaign.id.notification), "the first signal")
            let lifecycleState = try await store.status(of: campaign).lifecycle.state
            #expect(lifecycleState == .running, "the state in between")
            try await store.advance(CampaignFixtures.step(campaign, plan, targets: 2..<5, isLast: true))
            let second = try #require(try await store.claim(.bulk).first, "the second batch")
            let failure = Settlement.Failure(index: 1, outcome: StoreFixtures.rejection(.badDeviceToken))
            let last = try await store.settle(
                Settlement(of: second, range: 0..<3, failures: [failure]),
                now: StoreFixtures.now
            )
            #expect(last.notificationSettled, "the notification is not settled")
            let status = try await store.status(of: campaign)
            #expect(status.lifecycle.state == .completed, "the state")
            let counts = OutcomeCounts(delivered: 4, rejected: [.badDeviceToken: 1])
            #expect(status.counts == counts, "the counts")
            #expect(status.isCompleted && status.remaining == 0, "something remains")
        }
    }

    @Test("a campaign without any devices is finished by its last step", arguments: TestStoreBackend.allCases)
    func noDevices(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 0)
            let lifecycleState = try await store.status(of: campaign).lifecycle.state
            #expect(lifecycleState == .completed, "the state")
            let notification = try #require(try await store.notification(campaign.id.notification), "the notification")
            #expect(notification.isDone, "its notification is not done")
        }
    }

    @Test("targets for which nothing can be sent are counted and never claimed", arguments: TestStoreBackend.allCases)
    func skippedTargets(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            try await store.createCampaign(campaign)
            _ = try await store.claimCampaigns()
            let plan = CampaignFixtures.plan(campaign)
            try await store.advance(FanOutStep(campaign: campaign.id, plan: plan))
            let step = try CampaignFixtures.step(campaign, plan, targets: 0..<3, isLast: true)
            let failing = step.batches.map { ScheduledBatch(batch: $0.batch, failure: .missingValue) }
            try await store.advance(FanOutStep(campaign: campaign.id, plan: step.plan, batches: failing))
            let claimedCount = try await store.claim(.bulk).count
            #expect(claimedCount == 0, "what can be claimed")
            let status = try await store.status(of: campaign)
            #expect(status.counts == OutcomeCounts(failed: [.missingValue: 3]), "the counts")
            #expect(status.lifecycle.state == .completed, "the state")
            let outcome = try await store.outcome(of: failing[0].batch.id.apnsID(at: 1))
            #expect(outcome?.outcome == .failed(.missingValue), "the outcome")
        }
    }

    @Test(
        "a batch with a turn is not claimed before it; what nobody claims then is overdue",
        arguments: TestStoreBackend.allCases
    )
    func sendTime(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign(ratePerSecond: 100)
            _ = try await store.run(campaign, targets: 10, isLast: false, sendAt: StoreFixtures.after(2))
            let claimedCount = try await store.claim(.bulk, now: StoreFixtures.after(1.999)).count
            #expect(claimedCount == 0, "a claim too early")
            func backlog(after seconds: Double) async throws -> CampaignBacklog {
                try await store.backlog(
                    of: campaign.id,
                    planner: CampaignFixtures.planner,
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.after(seconds)
                )
            }
            let underWay = try await backlog(after: 2)
            #expect(underWay == CampaignBacklog(targets: 10), "what is under way")
            let overdueBacklog = try await backlog(after: 3)
            #expect(overdueBacklog == CampaignBacklog(targets: 10, overdue: 10), "what is overdue")
            let claimed = try #require(try await store.claim(.bulk, now: StoreFixtures.after(3)).first, "the batch")
            let beingSent = try await backlog(after: 4)
            #expect(beingSent == CampaignBacklog(targets: 10), "what is being sent")
            try await store.settle(Settlement(of: claimed, range: 0..<10, failures: []), now: StoreFixtures.after(4))
            let backlogAtEnd = try await backlog(after: 4)
            #expect(backlogAtEnd == CampaignBacklog(), "what is under way at the end")
        }
    }

    @Test(
        "a campaign that is given back is claimed again when it was asked for, a setback is counted",
        arguments: TestStoreBackend.allCases
    )
    func release(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            try await store.createCampaign(campaign)
            _ = try await store.claimCampaigns()
            let until = CampaignReleaseReason.setBack(until: StoreFixtures.after(5))
            try await store.release(
                campaign.id,
                planner: CampaignFixtures.otherPlanner,
                as: until,
                now: StoreFixtures.now
            )
            try await store.release(campaign.id, planner: CampaignFixtures.planner, as: until, now: StoreFixtures.now)
            let claimedCount = try await store.claimCampaigns(now: StoreFixtures.after(4)).count
            #expect(claimedCount == 0, "a claim too early")
            let again = try #require(try await store.claimCampaigns(now: StoreFixtures.after(5)).first, "the campaign")
            #expect(again.lifecycle.setbacks == 1, "the setbacks")
            try await store.release(
                campaign.id,
                planner: CampaignFixtures.planner,
                as: .failed(reason: "too bad"),
                now: StoreFixtures.now
            )
            let status = try await store.status(of: campaign)
            #expect(status.lifecycle.state == .failed(reason: "too bad"), "the state")
            let notification = try #require(try await store.notification(campaign.id.notification), "the notification")
            #expect(notification.isDone, "its notification is not done")
        }
    }

    @Test("a campaign whose time is over expires instead of being planned", arguments: TestStoreBackend.allCases)
    func expire(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign(expiresAt: StoreFixtures.after(10))
            try await store.createCampaign(campaign)
            let claimedCount = try await store.claimCampaigns(now: StoreFixtures.after(10)).count
            #expect(claimedCount == 0, "the claim")
            let lifecycleState = try await store.status(of: campaign).lifecycle.state
            #expect(lifecycleState == .expired, "the state")
        }
    }
}
