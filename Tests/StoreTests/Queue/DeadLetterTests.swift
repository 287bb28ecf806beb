// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: dead letters", .timeLimit(.minutes(20)))
struct DeadLetterTests {
    @Test(
        "dead letters are what failed and what a batch left that ended before its time, in their order",
        arguments: TestStoreBackend.allCases
    )
    func listInOrder(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 6, expiresAt: StoreFixtures.after(100))
            let batch = plan.batches[0]
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 3, outcome: StoreFixtures.rejection(.tooManyRequests)),
            ]
            let deferral = Deferral(index: 1, notBefore: StoreFixtures.after(200))
            let settlement = Settlement(of: claimed, range: 0..<4, failures: failures, deferrals: [deferral])
            try await store.settle(settlement, now: StoreFixtures.now)
            try await expectDeadLetters(store, plan, FailureFilter(), [0: [0, 3]], "while the batch is sent")
            try await store.close(batch.id, worker: claimed.worker, as: .expired, now: StoreFixtures.now)
            try await expectDeadLetters(store, plan, FailureFilter(), [0: [0, 1, 3, 4, 5]], "when it has ended")
            let all = try await store.deadLetters(
                of: plan.notification.id,
                matching: FailureFilter(),
                after: nil,
                limit: 10
            )
            let outcomes = all.elements.map(\.outcome)
            let expired = Outcome.failed(.expired)
            let expected = [failures[0].outcome, expired, failures[1].outcome, expired, expired]
            #expect(outcomes == expected, "the outcomes are \(outcomes)")
            let targetExpected = try StoreFixtures.target(5)
            #expect(all.elements.last?.target == targetExpected, "the target")
        }
    }

    @Test(
        "dead letters are asked for by their reason, and by whether sending again may help",
        arguments: TestStoreBackend.allCases
    )
    func filter(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 6)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let outcomes: [Outcome] = [
                StoreFixtures.rejection(.unregistered), StoreFixtures.rejection(.serviceUnavailable),
                .failed(.connectionLost), StoreFixtures.rejection(.payloadTooLarge), .failed(.cancelled),
            ]
            let failures = outcomes.enumerated().map { Settlement.Failure(index: $0.offset, outcome: $0.element) }
            try await store.settle(Settlement(of: claimed, range: 0..<6, failures: failures), now: StoreFixtures.now)
            let filters: [(FailureFilter, [Int])] = [
                (FailureFilter(isRetryable: true), [1, 2]), (FailureFilter(isRetryable: false), [0, 3, 4]),
                (FailureFilter(reason: "Unregistered"), [0]), (FailureFilter(reason: "connection_lost"), [2]),
                (FailureFilter(reason: "connection_lost", isRetryable: false), []),
                (FailureFilter(reason: "Other"), []),
            ]
            for (filter, indices) in filters {
                try await expectDeadLetters(store, plan, filter, [0: indices], "by \(filter)")
            }
        }
    }

    @Test("dead letters are listed page by page across batches", arguments: TestStoreBackend.allCases)
    func pages(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10_002, lane: .bulk)
            try await store.accept(plan)
            for claimed in try await store.claim(.bulk) {
                let first = Settlement.Failure(index: 1, outcome: .failed(.timeout))
                try await store.settle(Settlement(of: claimed, range: 0..<2, failures: [first]), now: StoreFixtures.now)
                if claimed.batch.ordinal == 0 {
                    try await store.close(
                        claimed.batch.id,
                        worker: claimed.worker,
                        as: .storeError,
                        now: StoreFixtures.now
                    )
                }
            }
            var listed: [APNsID] = []
            var cursor: APNsID?
            repeat {
                let page = try await store.deadLetters(
                    of: plan.notification.id,
                    matching: FailureFilter(isRetryable: true),
                    after: cursor,
                    limit: 1000
                )
                #expect(page.elements.count <= 1000, "a page has more elements than its limit")
                listed += page.elements.map(\.apnsID)
                cursor = page.next
            } while cursor != nil
            let first = (1..<10_000).map { plan.batches[0].id.apnsID(at: $0) }
            #expect(listed == first + [plan.batches[1].id.apnsID(at: 1)], "\(listed.count) dead letters are listed")
        }
    }

    @Test("a batch is found as it was accepted", arguments: TestStoreBackend.allCases)
    func findBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 3, expiresAt: StoreFixtures.after(60))
            try await store.accept(plan)
            let batch = try await store.batch(plan.batches[0].id)
            #expect(batch == plan.batches[0], "the batch")
            _ = try await store.claim()
            let batchClaimed = try await store.batch(plan.batches[0].id)
            #expect(batchClaimed == plan.batches[0], "the batch that is claimed")
            #expect(try await store.batch(BatchID(now: StoreFixtures.now)) == nil, "a batch that does not exist")
        }
    }

    @Test(
        "what failed of a notification is sent again once, and that is found from both",
        arguments: TestStoreBackend.allCases
    )
    func resend(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 3)
            try await store.accept(plan)
            #expect(try await store.resends(of: plan.notification.id).last == nil, "the resend at first")
            let resendsFirst = try await store.resends(of: plan.notification.id)
            #expect(resendsFirst == [], "the resends at first")
            let parts = [(batch: plan.batches[0], indices: [0, 2])]
            func resending() throws -> BatchedNotification {
                try BatchedNotification(resending: plan.notification, parts, now: StoreFixtures.after(5))
            }
            let again = try resending()
            try await store.accept(again)
            let resend = try await store.resends(of: plan.notification.id).last
            #expect(resend == again.notification, "the resend")
            let resends = try await store.resends(of: plan.notification.id)
            #expect(resends == [again.notification], "the resends")
            let resendsOfResend = try await store.resends(of: again.notification.id)
            #expect(resendsOfResend == [], "the resends of the resend")
            let status = try #require(try await store.notification(again.notification.id), "the notification")
            #expect(status.notification == again.notification, "what is sent again")
            try await expectError(.conflict, "a second resend") { try await store.accept(try resending()) }
        }
    }

    @Test(
        "what failed of a notification is sent again in parts, each of them once",
        arguments: TestStoreBackend.allCases
    )
    func resendInParts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 3)
            try await store.accept(plan)
            func part(_ index: Int, isLast: Bool = false) throws -> BatchedNotification {
                let batch = plan.batches[0].selecting([index])
                return try BatchedNotification(
                    resending: plan.notification,
                    [(batch: batch, indices: [0])],
                    through: isLast ? nil : batch.id.apnsID(at: index),
                    now: StoreFixtures.after(5)
                )
            }
            let parts = [try part(0), try part(1), try part(2, isLast: true)]
            for (index, part) in parts.enumerated() {
                try await store.accept(part)
                let resend = try await store.resends(of: plan.notification.id).last
                #expect(resend == part.notification, "the part \(index)")
                let known = parts[...index].map(\.notification)
                let resends = try await store.resends(of: plan.notification.id)
                #expect(resends == known, "the parts by then")
                let status = try #require(try await store.notification(part.notification.id), "the notification")
                #expect(status.notification == part.notification, "what is sent again")
                let stored = try #require(try await store.batch(part.batches[0].id), "the batch")
                #expect(Array(stored.targets) == [plan.batches[0].targets[index]], "the targets")
            }
            try await expectError(.conflict, "the first part again") { try await store.accept(try part(0)) }
            try await expectError(.conflict, "the last part again") {
                try await store.accept(try part(2, isLast: true))
            }
        }
    }

    @Test("open batches are counted by lane and kind, with the age of the oldest", arguments: TestStoreBackend.allCases)
    func countOpenBatches(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let openBatches = try await store.openBatches(of: nil)
            #expect(openBatches == [], "the open batches of an empty store")
            let mine = try (0..<3).map { try StoreFixtures.plan(now: StoreFixtures.after(Double($0))) }
            let bulk = try StoreFixtures.plan(lane: .bulk, now: StoreFixtures.after(3))
            let other = try StoreFixtures.plan(app: StoreFixtures.otherApp, now: StoreFixtures.after(4))
            for plan in mine + [bulk, other] { try await store.accept(plan) }
            // One is leased, which leaves it open, and one is settled.
            let claimed = try await store.claim(limit: 2)
            try await store.settle(Settlement(of: claimed[0], range: 0..<1, failures: []), now: StoreFixtures.now)
            let kind = mine[0].batches[0].kind
            let expected: Set = [
                OpenBatchCount(lane: .urgent, kind: kind, count: 2, oldest: StoreFixtures.after(1)),
                OpenBatchCount(lane: .bulk, kind: kind, count: 1, oldest: StoreFixtures.after(3)),
                OpenBatchCount(lane: .urgent, kind: other.batches[0].kind, count: 1, oldest: StoreFixtures.after(4)),
            ]
            let openBatchesThen = Set(try await store.openBatches(of: nil))
            #expect(openBatchesThen == expected, "the open batches")
            let own = expected.filter { $0.kind.app == StoreFixtures.otherApp }
            let openBatchesOfOther = Set(try await store.openBatches(of: StoreFixtures.otherApp))
            #expect(openBatchesOfOther == own, "those of one app")
        }
    }
}

/// Requires that the dead letters of a notification are those at some places of its batches, by their ordinals.
private func expectDeadLetters(
    _ store: any PushStore,
    _ plan: BatchedNotification,
    _ filter: FailureFilter,
    _ indices: [Int: [Int]],
    _ what: String
) async throws {
    let page = try await store.deadLetters(of: plan.notification.id, matching: filter, after: nil, limit: 1000)
    let expected = plan.batches.flatMap { batch in (indices[batch.ordinal] ?? []).map { batch.id.apnsID(at: $0) } }
    #expect(page.elements.map(\.apnsID) == expected, "the dead letters \(what)")
}
