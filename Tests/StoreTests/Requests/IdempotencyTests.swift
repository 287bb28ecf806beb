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

@Suite("Stores: idempotency", .timeLimit(.minutes(20)))
struct IdempotencyTests {
    @Test("the answer to a request is stored together with what was asked for", arguments: TestStoreBackend.allCases)
    func keep(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            let record = StoreFixtures.record("a", plan)
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record before")
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
        }
    }

    @Test("of two requests under one key the second stores nothing", arguments: TestStoreBackend.allCases)
    func sameKey(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = [try StoreFixtures.plan(), try StoreFixtures.plan(targets: 2)]
            let record = StoreFixtures.record("a", plans[0])
            try await store.accept(plans[0].notification, batches: plans[0].batches, noting: .answer(record))
            try await expectError(.conflict, "the same key again") {
                let second = StoreFixtures.record("a", plans[1])
                try await store.accept(plans[1].notification, batches: plans[1].batches, noting: .answer(second))
            }
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
            #expect(try await store.notification(plans[1].notification.id) == nil, "the second notification")
            let ids = try await store.claim().map(\.batch.id)
            #expect(ids == plans[0].batches.map(\.id), "the batches")
        }
    }

    @Test("a request that stores nothing leaves no answer", arguments: TestStoreBackend.allCases)
    func noAnswer(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            try await store.accept(plan)
            let record = StoreFixtures.record("a", plan)
            try await expectError(.conflict, "the same notification again") {
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            }
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record")
        }
    }

    @Test("a key belongs to its caller and its app", arguments: TestStoreBackend.allCases)
    func callerAndApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let plan = try StoreFixtures.plan()
            let record = StoreFixtures.record("a", plan)
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            let others = [
                ScopedIdempotencyKey(app: StoreFixtures.app, apiKey: "ffffffffffffffff", key: "a"),
                ScopedIdempotencyKey(app: StoreFixtures.otherApp, apiKey: record.slot.apiKey, key: "a"),
                ScopedIdempotencyKey(app: StoreFixtures.app, apiKey: record.slot.apiKey, key: "A"),
            ]
            for slot in others { #expect(try await store.idempotencyRecord(slot) == nil, "another's record") }
        }
    }

    @Test("an answer is replaced, and one that is not there stays so", arguments: TestStoreBackend.allCases)
    func replace(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            var record = StoreFixtures.record("a", plan)
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

    @Test("answers are forgotten by their age, as many at once as asked for", arguments: TestStoreBackend.allCases)
    func forget(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<4 {
                let plan = try StoreFixtures.plan(now: StoreFixtures.after(Double(number)))
                let record = StoreFixtures.record(IdempotencyKey(unchecked: "\(number)"), plan)
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            }
            let time = StoreFixtures.after(3)
            let removedFirst = try await store.removeIdempotencyRecords(before: time, limit: 2)
            #expect(removedFirst == 2, "removed first")
            let removed = try await store.removeIdempotencyRecords(before: time, limit: 2)
            #expect(removed == 1, "removed then")
            for number in 0..<4 {
                let slot = StoreFixtures.slot(IdempotencyKey(unchecked: "\(number)"))
                let isThere = try await store.idempotencyRecord(slot) != nil
                #expect(isThere == (number == 3), "whether record \(number) is there")
            }
        }
    }

    @Test(
        "of two requests for a campaign under one key the second stores nothing, no event either",
        arguments: TestStoreBackend.allCases
    )
    func sameKeyOfCampaigns(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaigns = [try CampaignFixtures.campaign(), try CampaignFixtures.campaign()]
            let record = StoreFixtures.record("a", campaigns[0])
            try await store.createCampaign(campaigns[0], noting: record)
            let recordThen = try await store.idempotencyRecord(record.slot)
            #expect(recordThen == record, "the record")
            let events = try await store.allEvents()
            try await expectError(.conflict, "the same key again") {
                try await store.createCampaign(campaigns[1], noting: StoreFixtures.record("a", campaigns[1]))
            }
            let recordAfterwards = try await store.idempotencyRecord(record.slot)
            #expect(recordAfterwards == record, "the record afterwards")
            #expect(try await store.campaign(campaigns[1].id) == nil, "the second campaign")
            #expect(try await store.notification(campaigns[1].id.notification) == nil, "its notification")
            let ids = try await store.claimCampaigns().map(\.campaign.id)
            #expect(ids == [campaigns[0].id], "what is planned")
            let prefix = try await store.allEvents().prefix(events.count)
            #expect(prefix == events[...], "the events")
            let plan = try StoreFixtures.plan()
            try await expectError(.conflict, "a notification under the key of a campaign") {
                let second = StoreFixtures.record("a", plan)
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(second))
            }
        }
    }

    @Test("a campaign that is not stored leaves no answer", arguments: TestStoreBackend.allCases)
    func unstoredCampaign(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            try await store.createCampaign(campaign)
            let record = StoreFixtures.record("a", campaign)
            try await expectError(.conflict, "the same campaign again") {
                try await store.createCampaign(campaign, noting: record)
            }
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record")
        }
    }

    @Test("answers go with their app", arguments: TestStoreBackend.allCases)
    func deleteApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            let record = StoreFixtures.record("a", plan)
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try await store.deleteApp(StoreFixtures.app)
            try await store.addSampleApp()
            #expect(try await store.idempotencyRecord(record.slot) == nil, "the record")
        }
    }
}

extension StoreFixtures {
    static func slot(_ key: IdempotencyKey) -> ScopedIdempotencyKey {
        ScopedIdempotencyKey(app: self.app, apiKey: "0123456789abcdef", key: key)
    }

    static func record(_ key: IdempotencyKey, _ plan: BatchedNotification) -> IdempotencyRecord {
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
