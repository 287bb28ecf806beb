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

@Suite("Stores: numbers of the queue that are out of range", .timeLimit(.minutes(20)))
struct CorruptQueueTests {
    @Test("counts of a batch keep it from nothing", arguments: TestStoreBackend.allCases)
    func counts(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let plan = try await store.accept(targets: 3)
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Self.losing(0, of: claimed, range: 0..<1), now: StoreFixtures.now)
            try await damage("UPDATE @batch_counts SET count = \(kind.largest)")
            try await store.settle(Self.losing(1, of: claimed, range: 1..<3), now: StoreFixtures.now)
            let status = try await store.notification(plan.notification.id)
            #expect(status?.isDone == true, "whether all is sent")
            let events = try await store.events(
                of: StoreFixtures.app,
                after: nil,
                limit: 10,
                kinds: [.notificationCompleted]
            )
            #expect(events.events.count == 1, "how often that is told")
        }
    }

    @Test("the place of a failed target is reported as corrupt", arguments: TestStoreBackend.allCases)
    func place(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let plan = try await store.accept(targets: 2)
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Self.losing(1, of: claimed, range: 0..<2), now: StoreFixtures.now)
            try await damage("UPDATE @batch_failures SET position = 20000")
            let id = plan.notification.id
            try await expectError(.corrupt, "the failures") { try await store.failures(of: id, after: nil, limit: 10) }
            try await expectError(.corrupt, "the dead letters") {
                try await store.deadLetters(of: id, matching: FailureFilter(), after: nil, limit: 10)
            }
        }
    }

    @Test("the next time is looked at without an overflow", arguments: TestStoreBackend.allCases)
    func nextTime(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let plan = try await store.accept(targets: 1)
            try await damage("UPDATE @batches SET state = 2, claimable_at = 9223372036854775807")
            let claim = try await store.nextClaim(in: .urgent, after: StoreFixtures.now)
            let turn = try await store.nextTurn(of: plan.notification.id, after: StoreFixtures.now)
            for time in [claim, turn] {
                let milliseconds = try #require(time, "the next time").millisecondsSince1970
                #expect(milliseconds > 0, "the next time in milliseconds")
            }
        }
    }

    @Test(
        "one batch that is corrupt keeps the outcomes of no other from being told",
        arguments: TestStoreBackend.allCases
    )
    func outcomes(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let plans = [try await store.accept(targets: 1), try await store.accept(targets: 2)]
            for claimed in try await store.claim() {
                let range = 0..<claimed.batch.targets.count
                try await store.settle(Settlement(of: claimed, range: range, failures: []), now: StoreFixtures.now)
            }
            try await damage("UPDATE @batches SET setbacks = \(kind.largest) WHERE target_count = 1")
            let ids = plans.flatMap(\.batches).map(\.id)
            let found = try await store.outcomes(of: ids)
            #expect(Set(found.keys) == [ids[1]], "the batches of which outcomes are told")
        }
    }

    @Test("the status of an answer that no HTTP has is reported as corrupt", arguments: TestStoreBackend.allCases)
    func answer(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan()
            let record = StoreFixtures.record("a", plan)
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            try await damage("UPDATE @idempotency_records SET status = 5000")
            try await expectError(.corrupt, "the record") { try await store.idempotencyRecord(record.slot) }
        }
    }

    /// A settlement of a part of a batch, one target of which was lost.
    private static func losing(_ index: Int, of claimed: ClaimedBatch, range: Range<Int>) -> Settlement {
        let failure = Settlement.Failure(index: index, outcome: .failed(.connectionLost))
        return Settlement(of: claimed, range: range, failures: [failure])
    }
}

extension AppStore where Self: BatchStore {
    /// Accepts a request to send to so many targets; adds the sample app where there is none.
    fileprivate func accept(targets: Int) async throws -> BatchedNotification {
        if try await self.app(StoreFixtures.app) == nil { try await self.addSampleApp() }
        let plan = try StoreFixtures.plan(targets: targets)
        try await self.accept(plan)
        return plan
    }
}
