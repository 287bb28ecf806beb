// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: accepting", .timeLimit(.minutes(20)))
struct AcceptingTests {
    @Test("a batch is claimed as it was accepted, payload byte for byte", arguments: TestStoreBackend.allCases)
    func claimAsAccepted(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 3, expiresAt: StoreFixtures.after(100))
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            #expect(claimed.batch == plan.batches[0], "the batch")
            #expect(claimed.cursor == 0, "the cursor")
            #expect(claimed.worker == StoreFixtures.worker, "the worker")
            #expect(claimed.leasedUntil == StoreFixtures.after(60), "the lease")
        }
    }

    @Test(
        "a notification of several batches is accepted whole, 10,000 targets each",
        arguments: TestStoreBackend.allCases
    )
    func severalBatches(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 20_001)
            try await store.accept(plan)
            let claimed = try await store.claim()
            try #require(claimed.map(\.batch.id) == plan.batches.map(\.id), "the batches")
            try #require(claimed.map(\.batch.targets.count) == [10_000, 10_000, 1], "their sizes")
            #expect(claimed[1].batch.targets == plan.batches[1].targets, "the second batch's targets")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.notification == plan.notification, "the notification")
            #expect(status.remaining == 20_001, "the targets without outcome")
        }
    }

    @Test("when one batch cannot be stored, nothing of the notification is", arguments: TestStoreBackend.allCases)
    func allOrNothing(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let first = try StoreFixtures.plan()
            try await store.accept(first)
            let second = try StoreFixtures.plan(targets: 10_001)
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
                try await store.accept(second.notification, batches: [second.batches[0], clash], noting: nil)
            }
            #expect(try await store.notification(second.notification.id) == nil, "the notification")
            let ids = try await store.claim().map(\.batch.id)
            #expect(ids == [taken.id], "the batches stored")
        }
    }

    @Test(
        "a notification is refused for no app, when it is there already, and when it is not whole",
        arguments: TestStoreBackend.allCases
    )
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let plan = try StoreFixtures.plan(targets: 2)
            try await expectError(.notFound, "no app") { try await store.accept(plan) }
            try await store.addSampleApp()
            try await expectError(.invalid, "no batches") {
                try await store.accept(plan.notification, batches: [], noting: nil)
            }
            let other = try StoreFixtures.plan(targets: 2)
            try await expectError(.invalid, "another notification's batches") {
                try await store.accept(plan.notification, batches: other.batches, noting: nil)
            }
            try await store.accept(plan)
            try await expectError(.conflict, "the same notification again") { try await store.accept(plan) }
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 1, "how many batches are stored")
        }
    }
}
