// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Dispatch
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Handing over batches", .timeLimit(.minutes(5)))
struct HandingOverTests {
    /// Takes whatever it is offered, and sends nothing of it.
    private final class Taker: BatchTaker {
        struct Seen {
            var taken: [ClaimedBatch] = []
            var forgone: [Batch] = []
        }

        let now = TestNow()

        /// Yields for each offer.
        let offers: AsyncStream<Void>

        private let state = Mutex(Seen())
        private let offered: AsyncStream<Void>.Continuation

        init() {
            (self.offers, self.offered) = AsyncStream.makeStream()
        }

        var seen: Seen { self.state.withLock { $0 } }

        func offer(_ batch: Batch, now: Date) -> Bool {
            self.offered.yield()
            return true
        }

        func lease(_ batch: Batch) -> ClaimedBatch {
            let until = self.now().addingTimeInterval(60)
            return ClaimedBatch(batch: batch, cursor: 0, worker: "taker", leasedUntil: until)
        }

        func take(_ claimed: [ClaimedBatch]) { self.state.withLock { $0.taken += claimed } }

        func forgo(_ batch: Batch) { self.state.withLock { $0.forgone.append(batch) } }
    }

    @Test("an urgent batch that is taken is leased by the transaction that accepts it, and settled under that lease")
    func leased() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taker = Taker()
            store.beginHandOver(to: taker)
            let plan = try StoreSamples.plan(targets: 3)
            try await store.accept(plan)
            let claimed = try #require(taker.seen.taken.first)
            #expect(claimed.batch == plan.batches[0])
            #expect(try await store.claim(limit: 1000).isEmpty)
            let settlement = Settlement(of: claimed, range: 0..<3, failures: [])
            #expect(try await store.settle(settlement, now: StoreSamples.now).notificationSettled)
        }
    }

    @Test("what a change of an activity sends is handed over, too; what waited for that is claimed when it is settled")
    func activity() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addLesson()
            let taker = Taker()
            store.beginHandOver(to: taker)
            let receipt = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let claimed = try #require(taker.seen.taken.first)
            #expect(claimed.batch.notification == receipt.notification)
            #expect(try await store.claim(limit: 1000).isEmpty)
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            let settlement = Settlement(of: claimed, range: 0..<1, failures: [])
            #expect(try await store.settle(settlement, now: StoreSamples.now).notificationSettled)
            let next = try await store.claimOne()
            #expect(ActivitySamples.payloads(next)[0].contains(#"{"n":2}"#))
            #expect(taker.seen.forgone.isEmpty)
        }
    }

    @Test("a batch whose taker died before it sent anything is claimed by another once the lease has lapsed")
    func healed() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            store.beginHandOver(to: Taker())
            let plan = try StoreSamples.plan(targets: 3)
            try await store.accept(plan)
            #expect(try await store.claim(limit: 1000, now: StoreSamples.now.addingTimeInterval(59)).isEmpty)
            let claimed = try await store.claim(limit: 1000, now: StoreSamples.now.addingTimeInterval(60))
            #expect(claimed.map(\.batch) == plan.batches)
            #expect(claimed.map(\.cursor) == [0])
        }
    }

    @Test("a lease begins when the transaction has its turn, however long it waited for that")
    func late() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taker = Taker()
            store.beginHandOver(to: taker)
            let plan = try StoreSamples.plan()
            let turn = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    // Another change, which takes long.
                    try await store.writes.run { _, _ in
                        begin.yield()
                        turn.wait()
                    }
                }
                for await _ in begun { break }
                group.addTask { try await store.accept(plan) }
                for await _ in taker.offers { break }
                taker.now.advance(by: .seconds(50))
                turn.signal()
                try await group.waitForAll()
            }
            #expect(taker.seen.taken.map(\.leasedUntil) == [StoreSamples.after(110)])
            #expect(try await store.claim(now: StoreSamples.after(109)).isEmpty)
            #expect(try await store.claim(now: StoreSamples.after(110)).map(\.batch) == plan.batches)
        }
    }

    @Test("what is refused is given back to the taker, and nothing of it is stored")
    func refused() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taker = Taker()
            store.beginHandOver(to: taker)
            let plan = try StoreSamples.plan(app: "com.example.unknown")
            #expect(try await storeError { try await store.accept(plan) }?.code == .notFound)
            #expect(taker.seen.taken.isEmpty)
            #expect(taker.seen.forgone == plan.batches)
            #expect(try await store.notification(plan.notification.id) == nil)
        }
    }

    @Test("of concurrent requests under one key, one is handed over and the taker regains the places of the others")
    func repeated() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taker = Taker()
            store.beginHandOver(to: taker)
            let plans = try (0..<20).map { _ in try StoreSamples.plan() }
            let codes = try await withThrowingTaskGroup(of: StoreError.Code?.self) { tasks in
                for plan in plans {
                    let record = IdempotencyRecord(
                        slot: IdempotencySlot(app: StoreSamples.app, apiKey: "0123456789abcdef", key: "a"),
                        requestHash: [1],
                        notification: plan.notification.id,
                        answer: IdempotencyRecord.Answer(status: 202, body: []),
                        createdAt: StoreSamples.now
                    )
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
            #expect(
                Set(taker.seen.forgone.map(\.id)) == Set(plans.map { $0.batches[0].id }).subtracting([taken.batch.id])
            )
            #expect(taker.seen.forgone.count == 19)
            #expect(try await store.notification(taken.batch.notification) != nil)
        }
    }

    @Test(
        "batches of the bulk lane, those whose time is over and those of nobody's wait to be claimed, and are signalled"
    )
    func waiting() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taker = Taker()
            store.beginHandOver(to: taker)
            let bulk = try StoreSamples.plan(lane: .bulk)
            let late = try StoreSamples.plan(expiresAt: StoreSamples.now)
            try await store.accept(bulk)
            try await store.accept(late)
            store.endHandOver(to: taker)
            let urgent = try StoreSamples.plan()
            try await store.accept(urgent)
            #expect(taker.seen.taken.isEmpty)
            #expect(try await store.claim(limit: 1000).map(\.batch) == urgent.batches)
        }
    }
}
