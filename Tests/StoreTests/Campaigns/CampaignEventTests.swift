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

@Suite("Stores: campaign events", .timeLimit(.minutes(20)))
struct CampaignEventTests {
    @Test(
        "a campaign tells of each of its states and is one notification, however many batches it has",
        arguments: TestStoreBackend.allCases
    )
    func states(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            var plan = try await store.run(campaign, targets: 300, isLast: false)
            for number in 1..<4 {
                let range = number * 300..<(number + 1) * 300
                let step = try CampaignFixtures.step(campaign, plan, targets: range, isLast: number == 3)
                try await store.advance(step, now: StoreFixtures.after(1))
                plan = step.plan
            }
            let claimed = try await store.claim(.bulk, now: StoreFixtures.after(1))
            #expect(claimed.count == 4, "the batches")
            for (place, batch) in claimed.enumerated() {
                try await store.settle(
                    Settlement(of: batch, range: 0..<300, failures: []),
                    now: StoreFixtures.after(2 + Double(place))
                )
            }
            let events = try await store.allEvents()
            let kinds: [EventType] = [
                .campaignScheduled, .campaignStarted, .notificationAccepted, .notificationCompleted, .campaignCompleted,
            ]
            try #require(events.map(\.kind) == kinds, "the kinds")
            let times = [0, 0, 1, 5, 5].map { StoreFixtures.after($0) }
            try #require(events.map(\.time) == times, "the times")
            let id = JSONValue.string(campaign.id.description)
            func data(enqueued: Int64) -> JSONValue {
                ["campaign": id, "name": .string(campaign.name), "enqueued": .integer(enqueued)]
            }
            #expect(events[0].data == data(enqueued: 0), "the data when it is created")
            #expect(events[2].data == ["notification": id, "targets": 1200, "batches": 4], "what was accepted")
            let settled: JSONValue = [
                "notification": id, "targets": 1200, "delivered": 1200, "rejected": [:], "failed": [:],
            ]
            #expect(events[3].data == settled, "what it was settled with")
            #expect(events[4].data == data(enqueued: 1200), "the data when it is finished")
        }
    }

    @Test(
        "a campaign that is paused, resumed and cancelled tells of it, and repeating any of these does not",
        arguments: TestStoreBackend.allCases
    )
    func steering(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 4, isLast: false)
            let id = campaign.id
            for _ in 0..<2 { _ = try await store.pauseCampaign(id, now: StoreFixtures.after(1)) }
            for _ in 0..<2 { _ = try await store.resumeCampaign(id, now: StoreFixtures.after(2)) }
            for _ in 0..<2 { _ = try await store.cancelCampaign(id, now: StoreFixtures.after(3)) }
            let events = try await store.allEvents()
            let kinds: [EventType] = [
                .campaignScheduled, .campaignStarted, .campaignPaused, .campaignResumed, .notificationAccepted,
                .notificationCompleted, .campaignCancelled,
            ]
            try #require(events.map(\.kind) == kinds, "the kinds")
            try #require(events.map(\.time) == [0, 0, 1, 2, 3, 3, 3].map { StoreFixtures.after($0) }, "the times")
            #expect(events[5].data["failed"] == ["cancelled": 4], "what the targets came to")
        }
    }

    @Test(
        "a campaign that is paused before its start is resumed by the kind of that name",
        arguments: TestStoreBackend.allCases
    )
    func pauseBeforeStart(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign(start: .at(StoreFixtures.after(1000)))
            try await store.createCampaign(campaign)
            _ = try await store.pauseCampaign(campaign.id, now: StoreFixtures.after(1))
            _ = try await store.resumeCampaign(campaign.id, now: StoreFixtures.after(2))
            let kinds: [EventType] = [.campaignScheduled, .campaignPaused, .campaignResumed]
            let kindsThen = try await store.allEvents().map(\.kind)
            #expect(kindsThen == kinds, "the kinds")
        }
    }

    @Test(
        "what a worker gives back of a campaign that was called off settles it, once",
        arguments: TestStoreBackend.allCases
    )
    func cancelledWork(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 5)
            let claimed = try #require(try await store.claim(.bulk).first, "the batch")
            _ = try await store.cancelCampaign(campaign.id, now: StoreFixtures.after(1))
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreFixtures.after(2))
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.after(3))
            let events = try await store.allEvents(kinds: [.campaignCancelled, .notificationCompleted])
            try #require(events.map(\.kind) == [.campaignCancelled, .notificationCompleted], "the kinds")
            try #require(events.map(\.time) == [1, 3].map { StoreFixtures.after($0) }, "the times")
            #expect(events[1].data["delivered"] == 2, "how many were delivered")
            #expect(events[1].data["failed"] == ["cancelled": 3], "what the others came to")
        }
    }

    @Test(
        "a campaign that fails tells why, and one whose time is over tells that",
        arguments: TestStoreBackend.allCases
    )
    func endings(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let failing = try CampaignFixtures.campaign()
            try await store.createCampaign(failing)
            _ = try await store.claimCampaigns()
            try await store.release(
                failing.id,
                planner: CampaignFixtures.planner,
                as: .failed(reason: "too bad"),
                now: StoreFixtures.after(1)
            )
            let late = try CampaignFixtures.campaign(expiresAt: StoreFixtures.after(10))
            try await store.createCampaign(late)
            _ = try await store.claimCampaigns(now: StoreFixtures.after(10))
            let slow = try CampaignFixtures.campaign(expiresAt: StoreFixtures.after(30), now: StoreFixtures.after(11))
            try await store.createCampaign(slow)
            _ = try await store.claimCampaigns(now: StoreFixtures.after(12))
            let planner = CampaignFixtures.planner
            try await store.release(slow.id, planner: planner, as: .expired, now: StoreFixtures.after(30))
            let events = try await store.allEvents(kinds: [.campaignFailed, .campaignExpired])
            let kinds: [EventType] = [.campaignFailed, .campaignExpired, .campaignExpired]
            try #require(events.map(\.kind) == kinds, "the kinds")
            try #require(events.map(\.time) == [1, 10, 30].map { StoreFixtures.after($0) }, "the times")
            #expect(events[0].data["reason"] == "too bad", "the reason")
            for kind in [EventType.notificationAccepted, .notificationCompleted] {
                let eventCount = try await store.allEvents(kinds: [kind]).count
                #expect(eventCount == 3, "how often there is \(kind)")
            }
        }
    }

    @Test("a campaign tells of devices that change, and of none that do not", arguments: TestStoreBackend.allCases)
    func devices(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<100 {
                let name = DeviceID(unchecked: "phone \(number)")
                try await store.register(StoreFixtures.registration(name, token: number), now: StoreFixtures.now)
            }
            let campaign = try CampaignFixtures.campaign()
            _ = try await store.run(campaign, targets: 100)
            let claimed = try #require(try await store.claim(.bulk).first, "the batch")
            let time = StoreFixtures.milliseconds(after: 1)
            let dead = Settlement.Failure(
                index: 7,
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time)
            )
            try await store.settle(
                Settlement(of: claimed, range: 0..<100, failures: [dead]),
                now: StoreFixtures.after(2)
            )
            let kinds = try await store.allEvents().map(\.kind)
            #expect(kinds.count { $0 == .deviceInvalidated } == 1, "how many devices are told of")
            #expect(kinds.count == 6, "how many events there are")
        }
    }

    @Test(
        "what is accepted of a stream stands in the feed once, and what is refused of it does not",
        arguments: TestStoreBackend.allCases
    )
    func streams(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 2)
            let chunk = StoreFixtures.chunk(1..<3, plan.notification.id)
            try await store.accept(plan.notification, batches: plan.batches, noting: .chunk(chunk))
            let again = try StoreFixtures.plan(targets: 2, now: StoreFixtures.after(1))
            try await expectError(.conflict, "the same lines again") {
                try await store.accept(again.notification, batches: again.batches, noting: .chunk(chunk))
            }
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreFixtures.after(2))
            let kinds = try await store.allEvents().map(\.kind)
            #expect(kinds == [.notificationAccepted, .notificationCompleted], "the kinds")
        }
    }
}
