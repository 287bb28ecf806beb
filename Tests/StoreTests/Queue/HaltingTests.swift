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

@Suite("Stores: halting", .timeLimit(.minutes(20)))
struct HaltingTests {
    @Test(
        "what is being sent when it is called off still has its outcome, and the rest is counted",
        arguments: TestStoreBackend.allCases
    )
    func outcomeOfCancelled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 5)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let haltedBefore = try await store.halted(among: [claimed.batch.id])
            #expect(haltedBefore == [], "what is halted before")
            var changes = store.changes().makeAsyncIterator()
            let cancelled = try await store.cancel(plan.notification.id, now: StoreFixtures.now)
            #expect(cancelled == 5, "how many had no outcome")
            let nextEvent = await changes.nextEvent()
            #expect(nextEvent == .halted(plan.notification.id), "the signal")
            let halted = try await store.halted(among: [claimed.batch.id])
            #expect(halted == [claimed.batch.id], "what is halted")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreFixtures.after(1))
            let open = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(!open.isDone, "it is done although a worker has it")
            let calledOff = try await store.release(
                claimed.batch.id,
                worker: claimed.worker,
                now: StoreFixtures.now
            )
            #expect(calledOff == 3, "how many are called off by its being given back")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.cancelled: 3]), "the counts")
            #expect(status.batches.map(\.lifecycle.state) == [.cancelled], "the state")
            #expect(status.isDone, "it is not done")
            let lastSignal = await changes.nextEvent()
            #expect(lastSignal == .notificationSettled(plan.notification.id), "the last signal")
            let outcome = try await store.outcome(of: claimed.batch.id.apnsID(at: 3))
            #expect(outcome?.outcome == .failed(.cancelled), "the outcome of one that was not sent")
        }
    }

    @Test(
        "a batch that was called off and whose worker died is cancelled by the next claim",
        arguments: TestStoreBackend.allCases
    )
    func crashedWorker(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 2)
            try await store.accept(plan)
            _ = try await store.claim()
            _ = try await store.cancel(plan.notification.id, now: StoreFixtures.after(1))
            let claimedCount = try await store.claim(now: StoreFixtures.after(59)).count
            #expect(claimedCount == 0, "a claim before the lease lapses")
            let lapsedCount = try await store.claim(now: StoreFixtures.after(60)).count
            #expect(lapsedCount == 0, "a claim when it lapses")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(failed: [.cancelled: 2]), "the counts")
            #expect(status.isDone, "it is not done")
        }
    }

    @Test("when a batch waits for its time, the store says until when", arguments: TestStoreBackend.allCases)
    func nextTimeOfBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(lane: .bulk))
            let none = try await store.nextClaim(in: .bulk, after: StoreFixtures.now)
            #expect(none == nil, "the time of what can be claimed at once")
            let claimed = try #require(try await store.claim(.bulk).first, "the batch")
            let id = claimed.batch.id
            try await store.setBack(id, worker: claimed.worker, until: StoreFixtures.after(30), now: StoreFixtures.now)
            let next = try await store.nextClaim(in: .bulk, after: StoreFixtures.now)
            #expect(next == StoreFixtures.after(30), "the time of what waits")
            let urgent = try await store.nextClaim(in: .urgent, after: StoreFixtures.now)
            #expect(urgent == nil, "the time of another lane")
            let due = try await store.nextClaim(in: .bulk, after: StoreFixtures.after(30))
            #expect(due == nil, "the time of what is due")
        }
    }

    @Test(
        "when all that is left of a notification waits for its time, the store says until when",
        arguments: TestStoreBackend.allCases
    )
    func nextTimeOfNotification(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10_001, lane: .bulk)
            let id = plan.notification.id
            try await store.accept(plan)
            let claimed = try await store.claim(.bulk)
            #expect(claimed.count == 2, "the batches")
            func turn(after seconds: Double = 0) async throws -> Date? {
                try await store.nextTurn(of: id, after: StoreFixtures.after(seconds))
            }
            for (number, batch) in claimed.enumerated() {
                #expect(try await turn() == nil, "the time of what is being sent")
                try await store.setBack(
                    batch.batch.id,
                    worker: batch.worker,
                    until: StoreFixtures.after(Double(60 - 10 * number)),
                    now: StoreFixtures.now
                )
            }
            let nextTurn = try await turn()
            #expect(nextTurn == StoreFixtures.after(50), "the time of what waits")
            #expect(try await turn(after: 50) == nil, "the time of what is due")
            _ = try await store.cancel(id, now: StoreFixtures.now)
            #expect(try await turn() == nil, "the time of what is called off")
            let other = NotificationID(now: StoreFixtures.now)
            #expect(try await store.nextTurn(of: other, after: StoreFixtures.now) == nil, "that of none")
        }
    }
}
