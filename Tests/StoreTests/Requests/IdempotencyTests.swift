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

@Suite("Stores: idempotency", .timeLimit(.minutes(5)))
struct IdempotencyTests {
    @Test("the answer to a request is stored together with what was asked for", arguments: StoreInTest.allCases)
    func keep(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            let record = StoreSamples.record("a", plan)
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record before")
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
        }
    }

    @Test("of two requests under one key the second stores nothing", arguments: StoreInTest.allCases)
    func sameKey(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = [try StoreSamples.plan(), try StoreSamples.plan(targets: 2)]
            let record = StoreSamples.record("a", plans[0])
            try await store.accept(plans[0].notification, batches: plans[0].batches, noting: .answer(record))
            try await expectError(.conflict, "the same key again") {
                let second = StoreSamples.record("a", plans[1])
                try await store.accept(plans[1].notification, batches: plans[1].batches, noting: .answer(second))
            }
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
            #expect(try await store.notification(plans[1].notification.id) == nil, "the second notification")
            let ids = try await store.claim().map(\.batch.id)
            #expect(ids == plans[0].batches.map(\.id), "the batches")
        }
    }

    @Test("a request that stores nothing leaves no answer", arguments: StoreInTest.allCases)
    func noAnswer(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            try await store.accept(plan)
            let record = StoreSamples.record("a", plan)
            try await expectError(.conflict, "the same notification again") {
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            }
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record")
        }
    }

    @Test("a key belongs to its caller and its app", arguments: StoreInTest.allCases)
    func callerAndApp(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            let plan = try StoreSamples.plan()
            let record = StoreSamples.record("a", plan)
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            let others = [
                IdempotencySlot(app: StoreSamples.app, apiKey: "ffffffffffffffff", key: "a"),
                IdempotencySlot(app: StoreSamples.otherApp, apiKey: record.slot.apiKey, key: "a"),
                IdempotencySlot(app: StoreSamples.app, apiKey: record.slot.apiKey, key: "A"),
            ]
            for slot in others { #expect(try await store.idempotencyRecord(slot) == nil, "another's record") }
        }
    }

    @Test("an answer is replaced, and one that is not there stays so", arguments: StoreInTest.allCases)
    func replace(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            var record = StoreSamples.record("a", plan)
            let answer = IdempotencyRecord.Answer(status: 200, body: [0, 1, 255])
            try await store.setAnswer(answer, for: record.slot)
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record before")
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try await store.setAnswer(answer, for: record.slot)
            record.answer = answer
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
        }
    }

    @Test("answers are forgotten by their age, as many at once as asked for", arguments: StoreInTest.allCases)
    func forget(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<4 {
                let plan = try StoreSamples.plan(now: StoreSamples.after(Double(number)))
                let record = StoreSamples.record(IdempotencyKey(unchecked: "\(number)"), plan)
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            }
            let time = StoreSamples.after(3)
            let removedFirst = try await store.removeIdempotencyRecords(before: time, limit: 2)
            #expect(removedFirst == 2, "removed first")
            let removed = try await store.removeIdempotencyRecords(before: time, limit: 2)
            #expect(removed == 1, "removed then")
            for number in 0..<4 {
                let slot = StoreSamples.slot(IdempotencyKey(unchecked: "\(number)"))
                let isThere = try await store.idempotencyRecord(slot) != nil
                #expect(isThere == (number == 3), "whether record \(number) is there")
            }
        }
    }

    @Test(
        "of two requests for a campaign under one key the second stores nothing, no event either",
        arguments: StoreInTest.allCases
    )
    func sameKeyOfCampaigns(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaigns = [try CampaignSamples.campaign(), try CampaignSamples.campaign()]
            let record = StoreSamples.record("a", campaigns[0])
            try await store.createCampaign(campaigns[0], noting: record)
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
            let events = try await store.allEvents()
            try await expectError(.conflict, "the same key again") {
                try await store.createCampaign(campaigns[1], noting: StoreSamples.record("a", campaigns[1]))
            }
            let recordAfterwards = try await store.idempotencyRecord(record.slot)
            #expect(recordAfterwards == record, "the record afterwards")
            #expect(try await store.campaign(campaigns[1].id) == nil, "the second campaign")
            #expect(try await store.notification(campaigns[1].id.notification) == nil, "its notification")
            let ids = try await store.claimCampaigns().map(\.campaign.id)
            #expect(ids == [campaigns[0].id], "what is planned")
            let prefix = try await store.allEvents().prefix(events.count)
            #expect(prefix == events[...], "the events")
            let plan = try StoreSamples.plan()
            try await expectError(.conflict, "a notification under the key of a campaign") {
                let second = StoreSamples.record("a", plan)
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(second))
            }
        }
    }

    @Test("a campaign that is not stored leaves no answer", arguments: StoreInTest.allCases)
    func unstoredCampaign(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign()
            try await store.createCampaign(campaign)
            let record = StoreSamples.record("a", campaign)
            try await expectError(.conflict, "the same campaign again") {
                try await store.createCampaign(campaign, noting: record)
            }
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record")
        }
    }

    @Test("answers go with their app", arguments: StoreInTest.allCases)
    func deleteApp(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            let record = StoreSamples.record("a", plan)
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try await store.deleteApp(StoreSamples.app)
            try await store.addSampleApp()
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record")
        }
    }
}

extension StoreSamples {
    static func slot(_ key: IdempotencyKey) -> IdempotencySlot {
        IdempotencySlot(app: self.app, apiKey: "0123456789abcdef", key: key)
    }

    static func record(_ key: IdempotencyKey, _ plan: NotificationPlan) -> IdempotencyRecord {
        self.record(key, of: plan.notification.id, createdAt: plan.notification.createdAt)
    }

    static func record(_ key: IdempotencyKey, _ campaign: Campaign) -> IdempotencyRecord {
        self.record(key, of: campaign.id.notification, createdAt: campaign.createdAt)
    }

    /// The record of a request under a key that came to what a notification sends.
    static func record(
        _ key: IdempotencyKey,
        of notification: NotificationID,
        createdAt: Date
    ) -> IdempotencyRecord {
        IdempotencyRecord(
            slot: self.slot(key),
            requestHash: IdempotencyRecord.hash([Array("body".utf8)]),
            notification: notification,
            answer: IdempotencyRecord.Answer(status: 202, location: "/there", body: Array("{}".utf8)),
            createdAt: createdAt
        )
    }
}
