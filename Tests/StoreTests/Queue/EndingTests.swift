// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: ending", .timeLimit(.minutes(20)))
struct EndingTests {
    @Test(
        "a batch that is set back waits, with the number of its setbacks, and goes on",
        arguments: TestStoreBackend.allCases
    )
    func setBack(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 2)
            let id = plan.batches[0].id
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            #expect(claimed.setbacks == 0, "the setbacks at first")
            try await expectError(.leaseLost, "a stranger's setback") {
                try await store.setBack(
                    id,
                    worker: StoreFixtures.otherWorker,
                    until: StoreFixtures.after(10),
                    now: StoreFixtures.now
                )
            }
            try await store.setBack(id, worker: claimed.worker, until: StoreFixtures.after(10), now: StoreFixtures.now)
            let claimedCount = try await store.claim(now: StoreFixtures.after(9)).count
            #expect(claimedCount == 0, "a claim too early")
            let again = try #require(try await store.claim(now: StoreFixtures.after(10)).first, "the batch")
            #expect(again.setbacks == 1, "the setbacks")
            #expect(again.cursor == 0, "the cursor")
        }
    }

    @Test(
        "a batch is closed with a reason for what is left, and the notification is settled by it",
        arguments: TestStoreBackend.allCases
    )
    func close(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 5)
            let id = plan.batches[0].id
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreFixtures.now)
            try await expectError(.leaseLost, "closing by a stranger") {
                try await store.close(id, worker: StoreFixtures.otherWorker, as: .storeError, now: StoreFixtures.now)
            }
            var changes = store.changes().makeAsyncIterator()
            let left = try await store.close(id, worker: claimed.worker, as: .storeError, now: StoreFixtures.now)
            #expect(left == 3, "how many were left")
            let next = await changes.next()
            #expect(next == .batchAdvanced(id), "the first signal")
            let secondSignal = await changes.next()
            #expect(secondSignal == .notificationSettled(plan.notification.id), "the second signal")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.batches.map(\.lifecycle.state) == [.failed(.storeError)], "the state")
            #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.storeError: 3]), "the counts")
            let outcome = try await store.outcome(of: id.apnsID(at: 4))
            #expect(outcome?.outcome == .failed(.storeError), "the outcome")
            let claimedCount = try await store.claim(now: StoreFixtures.after(1000)).count
            #expect(claimedCount == 0, "what is left to claim")
        }
    }

    @Test("a claim takes of each kind what there is room for, the oldest first", arguments: TestStoreBackend.allCases)
    func claimByKind(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let mine = try (0..<4).map { try StoreFixtures.plan(now: StoreFixtures.after(Double($0))) }
            let theirs = try (4..<7).map {
                try StoreFixtures.plan(app: StoreFixtures.otherApp, now: StoreFixtures.after(Double($0)))
            }
            for plan in theirs + mine { try await store.accept(plan) }
            func claim(_ room: ClaimLimits) async throws -> [BatchID] {
                try await store.claim(
                    lane: .urgent,
                    room: room,
                    worker: StoreFixtures.worker,
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.after(10)
                ).batches.map(\.batch.id)
            }
            let kind = mine[0].batches[0].kind
            let first = try await claim(ClaimLimits(total: 10, perKind: 1))
            #expect(first == [mine[0], theirs[0]].map(\.batches[0].id), "one of each kind")
            let second = try await claim(ClaimLimits(total: 10, perKind: 1, kinds: [kind: 0]))
            #expect(second == [theirs[1].batches[0].id], "all but one kind")
            let third = try await claim(ClaimLimits(total: 2, perKind: 10))
            #expect(third == [mine[1], mine[2]].map(\.batches[0].id), "two in all")
            let fourth = try await claim(ClaimLimits(total: 10, perKind: 1, otherKinds: 1))
            #expect(fourth == [mine[3].batches[0].id], "of one kind, the oldest")
            let fifth = try await claim(ClaimLimits(total: 10, perKind: 1, otherKinds: 0, kinds: [kind: 1]))
            #expect(fifth == [], "of none that is not named")
        }
    }

    @Test(
        "batches of one app are of several kinds: by their environments and by their push type",
        arguments: TestStoreBackend.allCases
    )
    func kinds(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try [
                [StoreFixtures.target(0)], [StoreFixtures.target(0, environment: .sandbox)],
                [StoreFixtures.target(0), StoreFixtures.target(1, environment: .sandbox)],
            ].flatMap { targets in
                try [PushType.alert, PushType(rawValue: "new-type")].map { pushType in
                    try BatchedNotification(
                        app: StoreFixtures.app,
                        lane: .bulk,
                        headers: NotificationHeaders(topic: Topic(StoreFixtures.app.rawValue), pushType: pushType),
                        payload: APNsPayload(json: "{}"),
                        targets: targets,
                        now: StoreFixtures.now
                    )
                }
            }
            for plan in plans { try await store.accept(plan) }
            for plan in plans {
                let room = ClaimLimits(total: 10, perKind: 0, kinds: [plan.batches[0].kind: 10])
                let claimed = try await store.claim(
                    lane: .bulk,
                    room: room,
                    worker: StoreFixtures.worker,
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.now
                )
                #expect(claimed.batches.map(\.batch.id) == plan.batches.map(\.id), "the batches of one kind")
            }
        }
    }
}
