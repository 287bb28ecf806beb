// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("A campaign whose row is corrupt", .timeLimit(.minutes(20)))
struct CorruptCampaignTests {
    private static let lease: Duration = .seconds(1)
    private static let later = StoreFixtures.now.addingTimeInterval(1)

    @Test("fails with a reason, and the batches that it has are settled all the same")
    func settles() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let campaign = try Self.campaign()
            try await store.createCampaign(campaign)
            _ = try await store.claimCampaigns(
                planner: "planner",
                limit: 1,
                leaseDuration: Self.lease,
                now: StoreFixtures.now
            )
            try await store.advance(
                Self.step(of: campaign),
                planner: "planner",
                leaseDuration: Self.lease,
                now: StoreFixtures.now
            )
            try await Intruder(path: path).execute("UPDATE campaigns SET definition = '{}'")
            let claimed = try await store.claimCampaigns(
                planner: "planner",
                limit: 1,
                leaseDuration: Self.lease,
                now: Self.later
            )
            #expect(claimed.isEmpty)
            let batches = try await store.claim(
                lane: .bulk,
                limit: 1,
                worker: "worker",
                leaseDuration: Self.lease,
                now: Self.later
            )
            let batch = try #require(batches.first)
            _ = try await store.settle(Settlement(of: batch, range: 0..<3, failures: []), now: Self.later)
            #expect(try await store.notification(campaign.id.notification)?.isDone == true)
            let events = try await store.events(of: StoreFixtures.app, after: nil, limit: 10, kinds: nil).events
            let kinds: [EventType] = [
                .campaignScheduled, .campaignStarted, .notificationAccepted, .campaignFailed, .notificationCompleted,
            ]
            #expect(events.map(\.kind) == kinds)
            #expect(events[3].data["campaign"] == .string(campaign.id.description))
            #expect(events[3].data["reason"] != nil)
        }
    }

    private static func campaign() throws -> Campaign {
        Campaign(
            id: CampaignID(now: StoreFixtures.now),
            app: StoreFixtures.app,
            name: "Sale",
            audience: .all,
            message: CampaignMessage(
                fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"hello"}}"#))
            ),
            createdAt: StoreFixtures.now
        )
    }

    /// A step that is not the last one, with one batch.
    private static func step(of campaign: Campaign) throws -> FanOutStep {
        let batch = Batch(
            id: BatchID(now: StoreFixtures.now),
            notification: campaign.id.notification,
            ordinal: 0,
            app: StoreFixtures.app,
            lane: .bulk,
            headers: NotificationHeaders(topic: try Topic(StoreFixtures.app.rawValue)),
            payload: .shared(try APNsPayload(json: #"{"aps":{"alert":"hello"}}"#)),
            targets: TargetList(try (0..<3).map { try StoreFixtures.target($0) }),
            createdAt: StoreFixtures.now
        )
        let wave = CampaignFanOut.Wave(due: campaign.planningTime, zones: .any)
        let plan = CampaignFanOut(waves: [wave], lastPlace: .max)
        return FanOutStep(campaign: campaign.id, plan: plan, batches: [ScheduledBatch(batch: batch)])
    }
}
