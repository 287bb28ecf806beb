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

@Suite("Stores: deferring", .timeLimit(.minutes(20)))
struct DeferringTests {
    @Test(
        "a deferred target has no outcome, is handed out again when it is due, and is settled then",
        arguments: TestStoreBackend.allCases
    )
    func settleWhenDue(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 4)
            let id = plan.batches[0].id
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let deferral = Deferral(index: 2, attempts: 1, delays: 300, notBefore: StoreFixtures.after(900))
            let failure = Settlement.Failure(index: 0, outcome: .failed(.timeout))
            let first = Settlement(of: claimed, range: 0..<4, failures: [failure], deferrals: [deferral])
            let receipt = try await store.settle(first, now: StoreFixtures.now)
            #expect(!receipt.batchSettled, "the batch is settled too early")
            #expect(try await store.settle(first, now: StoreFixtures.now).wasRepeated, "it counts twice")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.timeout: 1]), "the counts")
            #expect(try await store.outcome(of: id.apnsID(at: 2))?.outcome == nil, "the outcome")
            let anotherOutcome = try await store.outcome(of: id.apnsID(at: 3))?.outcome
            #expect(anotherOutcome == .delivered, "another outcome")

            try await store.release(id, worker: claimed.worker, now: StoreFixtures.now)
            let waiting = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(waiting.batches[0].lifecycle.state == .waiting(until: deferral.notBefore), "the state")
            let claimedCount = try await store.claim(now: StoreFixtures.after(899)).count
            #expect(claimedCount == 0, "a claim too early")
            let again = try #require(
                try await store.claim(by: StoreFixtures.otherWorker, now: StoreFixtures.after(900)).first,
                "the batch when the target is due"
            )
            #expect(again.due == [deferral], "the targets that are due")
            #expect(again.cursor == 4, "the cursor")
            let last = Settlement(of: again, resent: again.due, failures: [])
            let done = try await store.settle(last, now: StoreFixtures.after(901))
            #expect(done.batchSettled && done.notificationSettled, "the batch is not settled")
            #expect(try await store.settle(last, now: StoreFixtures.after(901)).wasRepeated, "it counts twice")
            let lastOutcome = try await store.outcome(of: id.apnsID(at: 2))?.outcome
            #expect(lastOutcome == .delivered, "the last outcome")
            let whole = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(whole.counts == OutcomeCounts(delivered: 3, failed: [.timeout: 1]), "the counts at the end")
        }
    }

    @Test(
        "targets that are due go with the rest of the batch, those that are not stay behind",
        arguments: TestStoreBackend.allCases
    )
    func dueOnly(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 6)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let deferrals = [
                Deferral(index: 0, notBefore: StoreFixtures.now),
                Deferral(index: 2, notBefore: StoreFixtures.after(500)),
            ]
            try await store.settle(
                Settlement(of: claimed, range: 0..<4, failures: [], deferrals: deferrals),
                now: StoreFixtures.now
            )
            try await store.release(plan.batches[0].id, worker: claimed.worker, now: StoreFixtures.now)
            let again = try #require(try await store.claim().first, "the batch with its rest")
            #expect(again.cursor == 4, "the cursor")
            #expect(again.due == [deferrals[0]], "the targets that are due")
            try await store.settle(Settlement(of: again, range: 4..<6, failures: []), now: StoreFixtures.now)
            try await store.settle(Settlement(of: again, resent: again.due, failures: []), now: StoreFixtures.now)
            // The worker dies here: when its lease lapses, nothing is due, and later something is.
            let claimedCount = try await store.claim(now: StoreFixtures.after(61)).count
            #expect(claimedCount == 0, "a claim after the lease")
            let last = try #require(try await store.claim(now: StoreFixtures.after(500)).first, "the last target")
            #expect(last.due == [deferrals[1]], "the last target")
        }
    }

    @Test("deferred targets end with their batch, and are counted", arguments: TestStoreBackend.allCases)
    func endWithBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 3, expiresAt: StoreFixtures.after(100))
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let deferral = Deferral(index: 1, notBefore: StoreFixtures.after(90))
            try await store.settle(
                Settlement(of: claimed, range: 0..<3, failures: [], deferrals: [deferral]),
                now: StoreFixtures.now
            )
            try await store.release(plan.batches[0].id, worker: claimed.worker, now: StoreFixtures.now)
            let claimedCount = try await store.claim(now: StoreFixtures.after(100)).count
            #expect(claimedCount == 0, "a claim after the end")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.expired: 1]), "the counts")
            let outcome = try await store.outcome(of: plan.batches[0].id.apnsID(at: 1))
            #expect(outcome?.outcome == .failed(.expired), "the outcome")
        }
    }

    @Test("deferrals that do not fit what was sent are refused", arguments: TestStoreBackend.allCases)
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 4))
            let claimed = try #require(try await store.claim().first, "the batch")
            func deferral(_ index: Int) -> Deferral { Deferral(index: index, notBefore: StoreFixtures.now) }
            let failure = Settlement.Failure(index: 1, outcome: .failed(.timeout))
            let settlements = [
                Settlement(of: claimed, range: 0..<2, failures: [], deferrals: [deferral(2)]),
                Settlement(of: claimed, range: 0..<2, failures: [failure], deferrals: [deferral(1)]),
                Settlement(of: claimed, range: 0..<2, failures: [], deferrals: [deferral(1), deferral(0)]),
            ]
            for settlement in settlements {
                try await expectError(.invalid, "\(settlement.deferrals.map(\.index))") {
                    try await store.settle(settlement, now: StoreFixtures.now)
                }
            }
        }
    }
}
