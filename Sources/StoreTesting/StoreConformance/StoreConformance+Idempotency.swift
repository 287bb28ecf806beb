// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let idempotency = [
        Check("the answer to a request is stored together with what was asked for") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            let record = StoreSamples.record("a", plan)
            try expectEqual(try await store.idempotencyRecord(record.slot), nil, "the record before")
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try expectEqual(try await store.idempotencyRecord(record.slot), record, "the record")
        },
        Check("of two requests under one key the second stores nothing") { store in
            try await store.addSampleApp()
            let plans = [try StoreSamples.plan(), try StoreSamples.plan(targets: 2)]
            let record = StoreSamples.record("a", plans[0])
            try await store.accept(plans[0].notification, batches: plans[0].batches, noting: .answer(record))
            try await expectError(.conflict, "the same key again") {
                let second = StoreSamples.record("a", plans[1])
                try await store.accept(plans[1].notification, batches: plans[1].batches, noting: .answer(second))
            }
            try expectEqual(try await store.idempotencyRecord(record.slot), record, "the record")
            try expectEqual(try await store.notification(plans[1].notification.id), nil, "the second notification")
            try expectEqual(try await store.claim().map(\.batch.id), plans[0].batches.map(\.id), "the batches")
        },
        Check("a request that stores nothing leaves no answer") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            try await store.accept(plan)
            let record = StoreSamples.record("a", plan)
            try await expectError(.conflict, "the same notification again") {
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            }
            try expectEqual(try await store.idempotencyRecord(record.slot), nil, "the record")
        },
        Check("a key belongs to its caller and its app") { store in
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
            for slot in others { try expectEqual(try await store.idempotencyRecord(slot), nil, "another's record") }
        },
        Check("an answer is replaced, and one that is not there stays so") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            var record = StoreSamples.record("a", plan)
            let answer = IdempotencyRecord.Answer(status: 200, body: [0, 1, 255])
            try await store.setAnswer(answer, for: record.slot)
            try expectEqual(try await store.idempotencyRecord(record.slot), nil, "the record before")
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try await store.setAnswer(answer, for: record.slot)
            record.answer = answer
            try expectEqual(try await store.idempotencyRecord(record.slot), record, "the record")
        },
        Check("answers are forgotten by their age, as many at once as asked for") { store in
            try await store.addSampleApp()
            for number in 0..<4 {
                let plan = try StoreSamples.plan(now: StoreSamples.after(Double(number)))
                let record = StoreSamples.record(IdempotencyKey(unchecked: "\(number)"), plan)
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            }
            let time = StoreSamples.after(3)
            try expectEqual(try await store.removeIdempotencyRecords(before: time, limit: 2), 2, "removed first")
            try expectEqual(try await store.removeIdempotencyRecords(before: time, limit: 2), 1, "removed then")
            for number in 0..<4 {
                let slot = StoreSamples.slot(IdempotencyKey(unchecked: "\(number)"))
                let isThere = try await store.idempotencyRecord(slot) != nil
                try expectEqual(isThere, number == 3, "whether record \(number) is there")
            }
        },
        Check("of two requests for a campaign under one key the second stores nothing, no event either") { store in
            try await store.addSampleApp()
            let campaigns = [try CampaignSamples.campaign(), try CampaignSamples.campaign()]
            let record = StoreSamples.record("a", campaigns[0])
            try await store.createCampaign(campaigns[0], noting: record)
            try expectEqual(try await store.idempotencyRecord(record.slot), record, "the record")
            let events = try await store.allEvents()
            try await expectError(.conflict, "the same key again") {
                try await store.createCampaign(campaigns[1], noting: StoreSamples.record("a", campaigns[1]))
            }
            try expectEqual(try await store.idempotencyRecord(record.slot), record, "the record afterwards")
            try expectEqual(try await store.campaign(campaigns[1].id), nil, "the second campaign")
            try expectEqual(try await store.notification(campaigns[1].id.notification), nil, "its notification")
            try expectEqual(try await store.claimCampaigns().map(\.campaign.id), [campaigns[0].id], "what is planned")
            try expectEqual(try await store.allEvents().prefix(events.count), events[...], "the events")
            let plan = try StoreSamples.plan()
            try await expectError(.conflict, "a notification under the key of a campaign") {
                let second = StoreSamples.record("a", plan)
                try await store.accept(plan.notification, batches: plan.batches, noting: .answer(second))
            }
        },
        Check("a campaign that is not stored leaves no answer") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign()
            try await store.createCampaign(campaign)
            let record = StoreSamples.record("a", campaign)
            try await expectError(.conflict, "the same campaign again") {
                try await store.createCampaign(campaign, noting: record)
            }
            try expectEqual(try await store.idempotencyRecord(record.slot), nil, "the record")
        },
        Check("answers go with their app") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            let record = StoreSamples.record("a", plan)
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try await store.deleteApp(StoreSamples.app)
            try await store.addSampleApp()
            try expectEqual(try await store.idempotencyRecord(record.slot), nil, "the record")
        },
    ]
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
