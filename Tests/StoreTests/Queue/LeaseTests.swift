// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: leases", .timeLimit(.minutes(20)))
struct LeaseTests {
    @Test(
        "a lapsed lease is claimed by another worker, which goes on from the cursor",
        arguments: TestStoreBackend.allCases
    )
    func takeOver(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10)
            try await store.accept(plan)
            let first = try #require(try await store.claim().first, "the first claim")
            try await store.settle(Settlement(of: first, range: 0..<4, failures: []), now: StoreFixtures.after(1))
            let early = try await store.claim(by: StoreFixtures.otherWorker, now: StoreFixtures.after(59.999))
            #expect(early.count == 0, "a claim before the lease lapses")
            let claimed = try await store.claim(by: StoreFixtures.otherWorker, now: StoreFixtures.after(60))
            let second = try #require(claimed.first, "a claim when the lease lapses")
            #expect(second.cursor == 4, "the cursor")
            #expect(second.batch == plan.batches[0], "the batch")
            try await expectError(.leaseLost, "a settlement by the first worker") {
                try await store.settle(Settlement(of: first, range: 4..<10, failures: []), now: StoreFixtures.after(61))
            }
            try await expectError(.leaseLost, "an extension by the first worker") {
                try await store.extendLease(
                    of: first.batch.id,
                    worker: first.worker,
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.after(61)
                )
            }
            try await store.settle(Settlement(of: second, range: 4..<10, failures: []), now: StoreFixtures.after(62))
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 10), "the counts")
            #expect(status.isDone, "the notification is not done")
        }
    }

    @Test("a lapsed lease that nobody claimed is still good", arguments: TestStoreBackend.allCases)
    func unclaimed(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 2))
            let claimed = try #require(try await store.claim().first, "the batch")
            let receipt = try await store.settle(
                Settlement(of: claimed, range: 0..<2, failures: []),
                now: StoreFixtures.after(500)
            )
            #expect(receipt.batchSettled, "the batch is not settled")
        }
    }

    @Test("an extended lease holds until its new end", arguments: TestStoreBackend.allCases)
    func extend(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan())
            let claimed = try #require(try await store.claim().first, "the batch")
            let until = try await store.extendLease(
                of: claimed.batch.id,
                worker: claimed.worker,
                leaseDuration: .seconds(60),
                now: StoreFixtures.after(50)
            )
            #expect(until == StoreFixtures.after(110), "the new end")
            let early = try await store.claim(by: StoreFixtures.otherWorker, now: StoreFixtures.after(109))
            #expect(early.count == 0, "a claim before the new end")
            let late = try await store.claim(by: StoreFixtures.otherWorker, now: StoreFixtures.after(110))
            #expect(late.count == 1, "a claim at the new end")
        }
    }

    @Test(
        "a released batch is claimed at once, and only its holder can release it",
        arguments: TestStoreBackend.allCases
    )
    func release(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 4))
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreFixtures.now)
            try await store.release(claimed.batch.id, worker: StoreFixtures.otherWorker, now: StoreFixtures.now)
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 0, "a claim after a stranger's release")
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
            let again = try await store.claim(by: StoreFixtures.otherWorker)
            #expect(again.map(\.cursor) == [3], "the cursor of the next claim")
        }
    }

    @Test(
        "of a batch that does not exist no lease can be extended, released or settled",
        arguments: TestStoreBackend.allCases
    )
    func unknownBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            let batch = plan.batches[0].id
            try await store.release(batch, worker: StoreFixtures.worker, now: StoreFixtures.now)
            try await expectError(.leaseLost, "an extension") {
                try await store.extendLease(
                    of: batch,
                    worker: StoreFixtures.worker,
                    leaseDuration: .seconds(1),
                    now: StoreFixtures.now
                )
            }
            try await expectError(.leaseLost, "a settlement") {
                let settlement = Settlement(batch: batch, worker: StoreFixtures.worker, range: 0..<1)
                return try await store.settle(settlement, now: StoreFixtures.now)
            }
        }
    }
}
