// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

extension StatementTests {
    static func queue(_ store: some SQLOperations & AppStore) async throws {
        let (worker, now, later) = (StoreFixtures.worker, StoreFixtures.now, StoreFixtures.after(120))
        let plan = try StoreFixtures.plan(targets: 3)
        try await store.accept(plan)
        let id = plan.notification.id
        let batch = plan.batches[0].id
        #expect(try await store.openBatches(of: StoreFixtures.app).isEmpty == false)
        #expect(try await store.claim(now: now).contains { $0.batch == plan.batches[0] })
        _ = try await store.extendLease(of: batch, worker: worker, leaseDuration: .seconds(60), now: now)
        try await store.setBack(batch, worker: worker, until: StoreFixtures.after(60), now: now)
        #expect(try await store.nextClaim(in: .urgent, after: now) == StoreFixtures.after(60))
        #expect(try await store.nextTurn(of: id, after: now) == StoreFixtures.after(60))
        let claimed = try #require(try await store.claim(now: later).first { $0.batch.id == batch })
        #expect(try await store.halted(among: [batch]) == [])
        let failures: [Settlement.Failure] = [
            .init(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken)),
            .init(index: 1, outcome: StoreFixtures.rejection(.unregistered)),
        ]
        let targets = claimed.batch.targets
        let settlement = Settlement(
            batch: batch,
            worker: worker,
            range: 0..<3,
            failures: failures,
            prunes: [.init(target: targets[1], reason: .unregistered, inactiveSince: 1)],
            suspects: [.init(target: targets[0], reason: .badDeviceToken)]
        )
        #expect(try await store.settle(settlement, now: later).notificationSettled)
        #expect(try await store.notification(id)?.counts.delivered == 1)
        #expect(
            try await store.failures(of: id, after: nil, limit: 10).elements.map(\.outcome) == failures.map(\.outcome)
        )
        #expect(
            try await store.deadLetters(of: id, matching: FailureFilter(), after: nil, limit: 10).elements.count == 2
        )
        #expect(try await store.outcome(of: batch.apnsID(at: 2))?.outcome == .delivered)
        #expect(try await store.outcomes(of: [batch])[batch]?.failures.count == 2)
        #expect(try await store.batch(batch)?.targets == targets)
        #expect(try await store.resends(of: id) == [])
        let other = try StoreFixtures.plan()
        try await store.accept(other)
        _ = try await store.claim(now: later)
        _ = try await store.release(other.batches[0].id, worker: worker, now: later)
        #expect(try await store.cancel(other.notification.id, now: later) == 1)
    }

    static func quarantine(_ store: RecordedStore) async throws {
        let (worker, now) = (StoreFixtures.worker, StoreFixtures.now)
        let webhook = try StoreFixtures.webhook()
        try await store.createWebhook(webhook)
        try await store.append([StoreFixtures.event(1)])
        for count in 1...3 {
            let seconds = Double(count)
            _ = try await store.claimWebhooks(now: StoreFixtures.after(seconds))
            let expired = try await store.sql.write { transaction in
                try transaction.expireLeases(of: worker, noted: [], now: StoreFixtures.after(seconds))
            }
            #expect(expired[.webhook] == 1)
            try await store.tryNextSuspect(now: StoreFixtures.after(seconds))
        }
        let items = try await store.quarantinedItems(of: StoreFixtures.app, kind: .webhook, after: nil, limit: 10)
        let item = try #require(items.elements.first)
        #expect(try await store.unreportedItems(limit: 10).contains(item))
        #expect(try await store.markReported(item.number, now: now))
        #expect(try await store.quarantinedItem(item.number) == item)
        #expect(try await store.repeatQuarantinedItem(item.number, now: now) == item)
        #expect(try await store.removeQuarantinedItem(item.number, now: now) == nil)
        #expect(try await store.deleteWebhook(webhook.id))
        _ = try await store.dueActivities(limit: 10, now: now)
        try await store.forgetInterruptions(ofActivities: [1])
    }
}
