// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: claiming", .timeLimit(.minutes(20)))
struct ClaimingTests {
    @Test("batches are claimed oldest first, up to the limit", arguments: TestStoreBackend.allCases)
    func oldestFirst(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try [3, 1, 2, 0].map { try StoreFixtures.plan(now: StoreFixtures.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            let expected = [plans[3], plans[1], plans[2], plans[0]].map(\.batches[0].id)
            let first = try await store.claim(limit: 3, now: StoreFixtures.after(10))
            #expect(first.map(\.batch.id) == Array(expected.prefix(3)), "the first claim")
            let second = try await store.claim(limit: 3, by: StoreFixtures.otherWorker, now: StoreFixtures.after(10))
            #expect(second.map(\.batch.id) == [expected[3]], "the second claim")
            let claimedCount = try await store.claim(now: StoreFixtures.after(10)).count
            #expect(claimedCount == 0, "a third claim")
        }
    }

    @Test("the lanes do not mix", arguments: TestStoreBackend.allCases)
    func lanes(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let bulk = try StoreFixtures.plan(lane: .bulk)
            let urgent = try StoreFixtures.plan(lane: .urgent, now: StoreFixtures.after(1))
            try await store.accept(bulk)
            try await store.accept(urgent)
            let claimed = try await store.claim(.urgent, now: StoreFixtures.after(2))
            #expect(claimed.map(\.batch.id) == [urgent.batches[0].id], "the urgent lane")
            let rest = try await store.claim(.bulk, now: StoreFixtures.after(2))
            #expect(rest.map(\.batch.id) == [bulk.batches[0].id], "the bulk lane")
        }
    }

    @Test("workers that claim at once never hold the same batch", arguments: TestStoreBackend.allCases)
    func concurrentWorkers(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try (0..<60).map { _ in try StoreFixtures.plan() }
            for plan in plans { try await store.accept(plan) }
            let claimed = try await withThrowingTaskGroup(of: [BatchID].self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var mine: [BatchID] = []
                        while true {
                            let worker = WorkerID(unchecked: "worker-\(number)")
                            let batches = try await store.claim(limit: 3, by: worker)
                            if batches.isEmpty { return mine }
                            mine += batches.map(\.batch.id)
                        }
                    }
                }
                return try await group.reduce(into: [BatchID]()) { $0 += $1 }
            }
            #expect(claimed.count == plans.count, "how many batches were claimed")
            #expect(Set(claimed) == Set(plans.map(\.batches[0].id)), "the batches claimed")
        }
    }

    @Test(
        "a batch whose time is over expires instead of being claimed, and is counted",
        arguments: TestStoreBackend.allCases
    )
    func expire(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let late = try StoreFixtures.plan(targets: 3, expiresAt: StoreFixtures.after(5))
            let plan = try StoreFixtures.plan(now: StoreFixtures.after(1))
            try await store.accept(late)
            try await store.accept(plan)
            let claim = try await store.claim(
                lane: .urgent,
                room: ClaimLimits(total: 1, perKind: 1),
                worker: StoreFixtures.worker,
                leaseDuration: .seconds(60),
                now: StoreFixtures.after(5)
            )
            #expect(claim.batches.map(\.batch.id) == [plan.batches[0].id], "the claim")
            #expect(claim.ended == OutcomeCounts(failed: [.expired: 3]), "what the claim ended")
            let status = try #require(try await store.notification(late.notification.id), "the notification")
            #expect(status.batches.map(\.lifecycle.state) == [.expired], "the state")
            #expect(status.counts == OutcomeCounts(failed: [.expired: 3]), "the counts")
            #expect(status.isDone, "the notification is not done")
            let outcome = try await store.outcome(of: late.batches[0].id.apnsID(at: 2))
            #expect(outcome?.outcome == .failed(.expired), "the outcome")
        }
    }

    @Test(
        "small batches are claimed in addition to large ones, as far as there is room for their number and targets",
        arguments: TestStoreBackend.allCases
    )
    func small(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            var plans: [BatchedNotification] = []
            for (place, targets) in [6, 2, 3, 7, 3, 1].enumerated() {
                let plan = try StoreFixtures.plan(targets: targets, now: StoreFixtures.after(Double(place)))
                try await store.accept(plan)
                plans.append(plan)
            }
            let batches = plans.map { $0.batches[0] }
            var room = ClaimLimits(total: 10, perKind: 1)
            room.small = SmallRoom(size: 3, targets: 7)
            func claim() async throws -> [BatchID] {
                let claim = try await store.claim(
                    lane: .urgent,
                    room: room,
                    worker: StoreFixtures.worker,
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.after(10)
                )
                return claim.batches.map(\.batch.id)
            }
            // One large batch, and the small ones of 2, 3 and 1 targets: the second one of 3 is too much.
            room.small.kinds = [batches[0].kind: 10]
            #expect(try await claim() == [0, 1, 2, 5].map { batches[$0].id }, "by targets")
            room.small.kinds = [batches[0].kind: 0]
            #expect(try await claim() == [batches[3].id], "a large one without room for small ones")
            #expect(try await claim().isEmpty, "small ones without room")
            room.small.kinds = [:]
            #expect(try await claim() == [batches[4].id], "a kind of which no batch is small")
        }
    }

    @Test("thousands of batches whose time is over hold nothing up", arguments: TestStoreBackend.allCases)
    func expireThousands(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let late = try StoreFixtures.plan(expiresAt: StoreFixtures.after(5))
            let count = 3000
            let notification = PushModel.Notification(
                id: late.notification.id,
                app: StoreFixtures.app,
                createdAt: StoreFixtures.now,
                targetCount: count,
                batchCount: count
            )
            let batches = (0..<count).map { ordinal in
                Batch(
                    id: BatchID(now: StoreFixtures.now),
                    notification: notification.id,
                    ordinal: ordinal,
                    app: StoreFixtures.app,
                    lane: .urgent,
                    headers: late.batches[0].headers,
                    payload: late.batches[0].payload,
                    targets: late.batches[0].targets,
                    createdAt: StoreFixtures.now,
                    expiresAt: StoreFixtures.after(5)
                )
            }
            try await store.accept(notification, batches: batches, noting: nil)
            let plan = try StoreFixtures.plan(now: StoreFixtures.after(1))
            try await store.accept(plan)
            // As a worker claims whose credential is yet to be tried.
            let claimed = try await store.claim(
                lane: .urgent,
                room: ClaimLimits(total: 8, perKind: 1),
                worker: StoreFixtures.worker,
                leaseDuration: .seconds(60),
                now: StoreFixtures.after(5)
            )
            #expect(claimed.batches.map(\.batch.id) == [plan.batches[0].id], "the claim")
            #expect(claimed.ended == OutcomeCounts(failed: [.expired: count]), "what the claim ended")
            let status = try #require(try await store.notification(notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(failed: [.expired: count]), "the counts")
            #expect(status.isDone, "the notification is not done")
            let open = try await store.openBatches(of: StoreFixtures.app)
            #expect(open.map(\.count) == [1], "the batches that are open")
        }
    }

    @Test("a cancelled notification is not claimed, and says what was not sent", arguments: TestStoreBackend.allCases)
    func cancelled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 5)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreFixtures.now)
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
            let cancelled = try await store.cancel(plan.notification.id, now: StoreFixtures.now)
            #expect(cancelled == 3, "how many were called off")
            let repeated = try await store.cancel(plan.notification.id, now: StoreFixtures.now)
            #expect(repeated == 0, "calling it off again")
            try await expectError(.leaseLost, "settling what was called off") {
                try await store.settle(Settlement(of: claimed, range: 2..<5, failures: []), now: StoreFixtures.now)
            }
            let claimedCount = try await store.claim(now: StoreFixtures.after(1000)).count
            #expect(claimedCount == 0, "what is left to claim")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.cancelled: 3]), "the counts")
            let none = NotificationID(now: StoreFixtures.now)
            #expect(try await store.cancel(none, now: StoreFixtures.now) == nil, "calling off nothing")
        }
    }
}
