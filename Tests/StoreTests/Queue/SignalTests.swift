// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: signals", .timeLimit(.minutes(20)))
struct SignalTests {
    @Test("an accepted batch is signalled once it can be claimed", arguments: TestStoreBackend.allCases)
    func accepted(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            var changes = store.changes().makeAsyncIterator()
            try await store.accept(StoreFixtures.plan(lane: .bulk))
            let next = await changes.next()
            #expect(next == .batchReady(.bulk), "the signal")
            let claimedCount = try await store.claim(.bulk).count
            #expect(claimedCount == 1, "how many batches can be claimed")
        }
    }

    @Test("a released batch is signalled", arguments: TestStoreBackend.allCases)
    func released(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan())
            let claimed = try #require(try await store.claim().first, "the batch")
            var changes = store.changes().makeAsyncIterator()
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
            let next = await changes.next()
            #expect(next == .batchReady(.urgent), "the signal")
        }
    }

    @Test(
        "every subscriber is told that a notification is settled, by whatever settles it",
        arguments: TestStoreBackend.allCases
    )
    func settled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let settled = try StoreFixtures.plan()
            let expired = try StoreFixtures.plan(expiresAt: StoreFixtures.after(5), now: StoreFixtures.after(1))
            let cancelled = try StoreFixtures.plan(now: StoreFixtures.after(2))
            try await store.accept(settled)
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.accept(expired)
            try await store.accept(cancelled)
            var subscribers = (0..<2).map { _ in store.changes().makeAsyncIterator() }
            try await store.settle(Settlement(of: claimed, range: 0..<1, failures: []), now: StoreFixtures.after(3))
            try await store.cancel(cancelled.notification.id, now: StoreFixtures.after(4))
            _ = try await store.claim(now: StoreFixtures.after(5))
            for place in subscribers.indices {
                for plan in [settled, cancelled, expired] {
                    let batch = plan.batches[0].id
                    let nextChange = await subscribers[place].nextChange()
                    #expect(nextChange == .batchAdvanced(batch), "the first signal")
                    let change = await subscribers[place].nextChange()
                    #expect(change == .notificationSettled(plan.notification.id), "the second signal")
                }
            }
        }
    }

    @Test(
        "every settlement that changes something is signalled, and outcomes can be read by then",
        arguments: TestStoreBackend.allCases
    )
    func advanced(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 4))
            let claimed = try #require(try await store.claim().first, "the batch")
            var changes = store.changes().makeAsyncIterator()
            let rejected = Settlement.Failure(index: 1, outcome: StoreFixtures.rejection(.badDeviceToken))
            let later = Deferral(index: 0, notBefore: StoreFixtures.after(50))
            let first = Settlement(of: claimed, range: 0..<3, failures: [rejected], deferrals: [later])
            for _ in 0..<2 { try await store.settle(first, now: StoreFixtures.after(1)) }
            let next = await changes.next()
            #expect(next == .batchAdvanced(claimed.batch.id), "the first signal")
            let known = try await store.outcomes(of: [claimed.batch.id, BatchID(now: StoreFixtures.now)])
            try #require(known.count == 1, "how many batches are known")
            let outcomes = try #require(known[claimed.batch.id], "the outcomes")
            #expect(
                (0..<4).map { outcomes.outcome(at: $0) } == [
                    nil, StoreFixtures.rejection(.badDeviceToken), .delivered, nil,
                ],
                "the outcomes"
            )
            let last = Settlement(of: claimed, range: 3..<4, failures: [])
            try await store.settle(last, now: StoreFixtures.after(2))
            let secondSignal = await changes.next()
            #expect(secondSignal == .batchAdvanced(claimed.batch.id), "the second signal")
            try await store.close(claimed.batch.id, worker: claimed.worker, as: .storeError, now: StoreFixtures.now)
            let thirdSignal = await changes.next()
            #expect(thirdSignal == .batchAdvanced(claimed.batch.id), "the third signal")
            let closed = try await store.outcomes(of: [claimed.batch.id])
            #expect(closed[claimed.batch.id]?.outcome(at: 0) == .failed(.storeError), "the outcome that was left")
        }
    }

    @Test("what is not stored is not signalled", arguments: TestStoreBackend.allCases)
    func unstored(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(lane: .bulk)
            try await store.accept(plan)
            var changes = store.changes().makeAsyncIterator()
            try await expectError(.conflict, "the same notification again") { try await store.accept(plan) }
            try await store.accept(StoreFixtures.plan(lane: .urgent))
            let next = await changes.next()
            #expect(next == .batchReady(.urgent), "the first signal")
        }
    }
}
