// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: leases", .timeLimit(.minutes(5)))
struct LeaseTests {
    @Test("a lapsed lease is claimed by another worker, which goes on from the cursor", arguments: StoreInTest.allCases)
    func takeOver(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10)
            try await store.accept(plan)
            let first = try #require(try await store.claim().first, "the first claim")
            try await store.settle(Settlement(of: first, range: 0..<4, failures: []), now: StoreSamples.after(1))
            let early = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(59.999))
            #expect(early.count == 0, "a claim before the lease lapses")
            let claimed = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(60))
            let second = try #require(claimed.first, "a claim when the lease lapses")
            #expect(second.cursor == 4, "the cursor")
            #expect(second.batch == plan.batches[0], "the batch")
            try await expectError(.leaseLost, "a settlement by the first worker") {
                try await store.settle(Settlement(of: first, range: 4..<10, failures: []), now: StoreSamples.after(61))
            }
            try await expectError(.leaseLost, "an extension by the first worker") {
                try await store.extendLease(
                    of: first.batch.id,
                    worker: first.worker,
                    leaseDuration: .seconds(60),
                    now: StoreSamples.after(61)
                )
            }
            try await store.settle(Settlement(of: second, range: 4..<10, failures: []), now: StoreSamples.after(62))
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 10), "the counts")
            #expect(status.isDone, "the notification is not done")
        }
    }

    @Test("a lapsed lease that nobody claimed is still good", arguments: StoreInTest.allCases)
    func unclaimed(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan(targets: 2))
            let claimed = try #require(try await store.claim().first, "the batch")
            let receipt = try await store.settle(
                Settlement(of: claimed, range: 0..<2, failures: []),
                now: StoreSamples.after(500)
            )
            #expect(receipt.batchSettled, "the batch is not settled")
        }
    }

    @Test("an extended lease holds until its new end", arguments: StoreInTest.allCases)
    func extend(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan())
            let claimed = try #require(try await store.claim().first, "the batch")
            let until = try await store.extendLease(
                of: claimed.batch.id,
                worker: claimed.worker,
                leaseDuration: .seconds(60),
                now: StoreSamples.after(50)
            )
            #expect(until == StoreSamples.after(110), "the new end")
            let early = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(109))
            #expect(early.count == 0, "a claim before the new end")
            let late = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(110))
            #expect(late.count == 1, "a claim at the new end")
        }
    }

    @Test("a released batch is claimed at once, and only its holder can release it", arguments: StoreInTest.allCases)
    func release(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan(targets: 4))
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreSamples.now)
            try await store.release(claimed.batch.id, worker: StoreSamples.otherWorker, now: StoreSamples.now)
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 0, "a claim after a stranger's release")
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreSamples.now)
            let again = try await store.claim(by: StoreSamples.otherWorker)
            #expect(again.map(\.cursor) == [3], "the cursor of the next claim")
        }
    }

    @Test(
        "of a batch that does not exist no lease can be extended, released or settled",
        arguments: StoreInTest.allCases
    )
    func unknownBatch(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan()
            let batch = plan.batches[0].id
            try await store.release(batch, worker: StoreSamples.worker, now: StoreSamples.now)
            try await expectError(.leaseLost, "an extension") {
                try await store.extendLease(
                    of: batch,
                    worker: StoreSamples.worker,
                    leaseDuration: .seconds(1),
                    now: StoreSamples.now
                )
            }
            try await expectError(.leaseLost, "a settlement") {
                let settlement = Settlement(batch: batch, worker: StoreSamples.worker, range: 0..<1)
                return try await store.settle(settlement, now: StoreSamples.now)
            }
        }
    }
}
