// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Stores: handing over batches", .timeLimit(.minutes(20)))
struct HandOverTests {
    /// Opens a store with an app, and with a taker of its urgent batches.
    private static func withTaker(
        _ kind: TestStoreBackend,
        _ body: (any PushStore & SQLBacked, RecordingTaker) async throws -> Void
    ) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let taker = RecordingTaker()
            store.beginHandOver(to: taker)
            try await body(store, taker)
        }
    }

    @Test(
        "an urgent batch that is taken is leased by the transaction that accepts it, and settled under that lease",
        arguments: TestStoreBackend.allCases
    )
    func leased(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            let plan = try StoreFixtures.plan(targets: 3)
            try await store.accept(plan)
            let claimed = try #require(taker.seen.taken.first)
            #expect(claimed.batch == plan.batches[0])
            #expect(try await store.claim(limit: 1000).isEmpty)
            let settlement = Settlement(of: claimed, range: 0..<3, failures: [])
            #expect(try await store.settle(settlement, now: StoreFixtures.now).notificationSettled)
        }
    }

    @Test(
        "what a change of an activity sends is handed over, too; what waited for that is claimed when it is settled",
        arguments: TestStoreBackend.allCases
    )
    func activity(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            try await store.addLesson()
            let receipt = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let claimed = try #require(taker.seen.taken.first)
            #expect(claimed.batch.notification == receipt.notification)
            #expect(try await store.claim(limit: 1000).isEmpty)
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            let settlement = Settlement(of: claimed, range: 0..<1, failures: [])
            #expect(try await store.settle(settlement, now: StoreFixtures.now).notificationSettled)
            let next = try await store.claimOne()
            #expect(ActivityFixtures.payloads(next)[0].contains(#"{"n":2}"#))
            #expect(taker.seen.forgone.isEmpty)
        }
    }

    @Test(
        "a batch whose taker died before it sent anything is claimed by another process after the lease expires",
        arguments: TestStoreBackend.allCases
    )
    func healed(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, _ in
            let plan = try StoreFixtures.plan(targets: 3)
            try await store.accept(plan)
            #expect(try await store.claim(limit: 1000, now: StoreFixtures.now.addingTimeInterval(59)).isEmpty)
            let claimed = try await store.claim(limit: 1000, now: StoreFixtures.now.addingTimeInterval(60))
            #expect(claimed.map(\.batch) == plan.batches)
            #expect(claimed.map(\.cursor) == [0])
        }
    }

    @Test(
        "a lease begins with the transaction, however long the call waited for it",
        arguments: TestStoreBackend.allCases
    )
    func late(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            let wait = StoreProbe(before: { _ in taker.now.advance(by: .seconds(50)) })
            let plan = try StoreFixtures.plan()
            try await ProbedStore(store, wait).accept(plan)
            #expect(taker.seen.taken.map(\.leasedUntil) == [StoreFixtures.after(110)])
            #expect(try await store.claim(now: StoreFixtures.after(109)).isEmpty)
            #expect(try await store.claim(now: StoreFixtures.after(110)).map(\.batch) == plan.batches)
        }
    }

    @Test("a rejected notification is not offered, and nothing of it is stored", arguments: TestStoreBackend.allCases)
    func refused(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            let plan = try StoreFixtures.plan(app: "com.example.unknown")
            #expect(try await storeError { try await store.accept(plan) }?.code == .notFound)
            #expect(taker.seen.taken.isEmpty && taker.seen.forgone.isEmpty)
            #expect(try await store.notification(plan.notification.id) == nil)
        }
    }

    @Test("a batch is given back to its taker if the transaction fails", arguments: TestStoreBackend.allCases)
    func givenBack(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            let failing = ProbedStore(store, StoreProbe(beforeCommit: { _ in throw CancellationError() }))
            let plan = try StoreFixtures.plan()
            await #expect(throws: (any Error).self) { try await failing.accept(plan) }
            #expect(taker.seen.taken.isEmpty && !taker.seen.forgone.isEmpty)
            #expect(Set(taker.seen.forgone.map(\.id)) == Set(plan.batches.map(\.id)))
            #expect(try await store.notification(plan.notification.id) == nil)
        }
    }

    @Test(
        "of concurrent requests under one key, one is handed over and the others are not offered",
        arguments: TestStoreBackend.allCases
    )
    func repeated(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            let plans = try (0..<20).map { _ in try StoreFixtures.plan() }
            let codes = try await withThrowingTaskGroup(of: StoreError.Code?.self) { tasks in
                for plan in plans {
                    let record = StoreFixtures.record("a", plan)
                    tasks.addTask {
                        try await storeError {
                            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
                        }?.code
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == .conflict } == 19)
            let taken = try #require(taker.seen.taken.first)
            #expect(taker.seen.taken.count == 1)
            #expect(taker.seen.forgone.isEmpty)
            #expect(try await store.notification(taken.batch.notification) != nil)
        }
    }

    @Test(
        "batches of the bulk lane, expired ones and those without a taker wait to be claimed, and are signalled",
        arguments: TestStoreBackend.allCases
    )
    func waiting(kind: TestStoreBackend) async throws {
        try await Self.withTaker(kind) { store, taker in
            let bulk = try StoreFixtures.plan(lane: .bulk)
            let late = try StoreFixtures.plan(expiresAt: StoreFixtures.now)
            try await store.accept(bulk)
            try await store.accept(late)
            store.endHandOver(to: taker)
            let urgent = try StoreFixtures.plan()
            try await store.accept(urgent)
            #expect(taker.seen.taken.isEmpty)
            #expect(try await store.claim(limit: 1000).map(\.batch) == urgent.batches)
        }
    }
}
