// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let leases = [
        Check("a lapsed lease is claimed by another worker, which goes on from the cursor") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10)
            try await store.accept(plan)
            let first = try require(try await store.claim().first, "the first claim")
            try await store.settle(Settlement(of: first, range: 0..<4, failures: []), now: StoreSamples.after(1))
            let early = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(59.999))
            try expectEqual(early.count, 0, "a claim before the lease lapses")
            let claimed = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(60))
            let second = try require(claimed.first, "a claim when the lease lapses")
            try expectEqual(second.cursor, 4, "the cursor")
            try expectEqual(second.batch, plan.batches[0], "the batch")
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
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(status.counts, OutcomeCounts(delivered: 10), "the counts")
            try expect(status.isDone, "the notification is not done")
        },
        Check("a lapsed lease that nobody claimed is still good") { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan(targets: 2))
            let claimed = try require(try await store.claim().first, "the batch")
            let receipt = try await store.settle(
                Settlement(of: claimed, range: 0..<2, failures: []),
                now: StoreSamples.after(500)
            )
            try expect(receipt.batchSettled, "the batch is not settled")
        },
        Check("an extended lease holds until its new end") { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan())
            let claimed = try require(try await store.claim().first, "the batch")
            let until = try await store.extendLease(
                of: claimed.batch.id,
                worker: claimed.worker,
                leaseDuration: .seconds(60),
                now: StoreSamples.after(50)
            )
            try expectEqual(until, StoreSamples.after(110), "the new end")
            let early = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(109))
            try expectEqual(early.count, 0, "a claim before the new end")
            let late = try await store.claim(by: StoreSamples.otherWorker, now: StoreSamples.after(110))
            try expectEqual(late.count, 1, "a claim at the new end")
        },
        Check("a released batch is claimed at once, and only its holder can release it") { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan(targets: 4))
            let claimed = try require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreSamples.now)
            try await store.release(claimed.batch.id, worker: StoreSamples.otherWorker, now: StoreSamples.now)
            try expectEqual(try await store.claim().count, 0, "a claim after a stranger's release")
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreSamples.now)
            let again = try await store.claim(by: StoreSamples.otherWorker)
            try expectEqual(again.map(\.cursor), [3], "the cursor of the next claim")
        },
        Check("of a batch that does not exist no lease can be extended, released or settled") { store in
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
        },
    ]
}
