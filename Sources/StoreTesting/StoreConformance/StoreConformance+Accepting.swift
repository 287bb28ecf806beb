// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let accepting = [
        Check("a batch is claimed as it was accepted, payload byte for byte") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 3, expiresAt: StoreSamples.after(100))
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            try expectEqual(claimed.batch, plan.batches[0], "the batch")
            try expectEqual(claimed.cursor, 0, "the cursor")
            try expectEqual(claimed.worker, StoreSamples.worker, "the worker")
            try expectEqual(claimed.leasedUntil, StoreSamples.after(60), "the lease")
        },
        Check("a notification of several batches is accepted whole, 10,000 targets each") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 20_001)
            try await store.accept(plan)
            let claimed = try await store.claim()
            try expectEqual(claimed.map(\.batch.id), plan.batches.map(\.id), "the batches")
            try expectEqual(claimed.map(\.batch.targets.count), [10_000, 10_000, 1], "their sizes")
            try expectEqual(claimed[1].batch.targets, plan.batches[1].targets, "the second batch's targets")
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(status.notification, plan.notification, "the notification")
            try expectEqual(status.remaining, 20_001, "the targets without outcome")
        },
        Check("when one batch cannot be stored, nothing of the notification is") { store in
            try await store.addSampleApp()
            let first = try StoreSamples.plan()
            try await store.accept(first)
            let second = try StoreSamples.plan(targets: 10_001)
            let taken = first.batches[0]
            let clash = Batch(
                id: taken.id,
                notification: second.notification.id,
                ordinal: 1,
                app: taken.app,
                lane: taken.lane,
                headers: taken.headers,
                payload: taken.payload,
                targets: taken.targets,
                createdAt: taken.createdAt
            )
            try await expectError(.conflict, "a batch id that is taken") {
                try await store.accept(second.notification, batches: [second.batches[0], clash])
            }
            try expectEqual(try await store.notification(second.notification.id), nil, "the notification")
            try expectEqual(try await store.claim().map(\.batch.id), [taken.id], "the batches stored")
        },
        Check("a notification is refused for no app, when it is there already, and when it is not whole") { store in
            let plan = try StoreSamples.plan(targets: 2)
            try await expectError(.notFound, "no app") { try await store.accept(plan) }
            try await store.addSampleApp()
            try await expectError(.invalid, "no batches") {
                try await store.accept(plan.notification, batches: [])
            }
            let other = try StoreSamples.plan(targets: 2)
            try await expectError(.invalid, "another notification's batches") {
                try await store.accept(plan.notification, batches: other.batches)
            }
            try await store.accept(plan)
            try await expectError(.conflict, "the same notification again") { try await store.accept(plan) }
            try expectEqual(try await store.claim().count, 1, "how many batches are stored")
        },
    ]
}
