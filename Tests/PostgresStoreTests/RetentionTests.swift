// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("What PostgreSQL removes for its age", .timeLimit(.minutes(20)))
struct RetentionTests {
    @Test("leaves no row behind, however many batches and failures it has and however little goes at once")
    func nothingLeft() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 20_500)
            try await store.accept(plan)
            for claimed in try await store.claim() {
                let range = 0..<claimed.batch.targets.count
                let failures = range.prefix(600).map { Settlement.Failure(index: $0, outcome: .failed(.timeout)) }
                _ = try await store.settle(
                    Settlement(of: claimed, range: range, failures: failures),
                    now: StoreFixtures.now
                )
            }
            #expect(try await database.execute("SELECT count(*) FROM apus.batch_failures") == ["1700"])
            var pruned = PrunedNotifications(hasMore: true)
            var batches: [Int] = []
            while pruned.hasMore {
                pruned = try await store.pruneNotifications(settledBefore: StoreFixtures.after(1), limit: 1000)
                batches.append(pruned.batches)
                #expect(try await store.notification(plan.notification.id) == nil)
            }
            #expect(batches == [2, 1])
            for table in [
                "notifications", "batches", "batch_contents", "batch_counts", "batch_failures", "settled_notifications",
            ] {
                #expect(try await database.execute("SELECT count(*) FROM apus.\(table)") == ["0"], "\(table)")
            }
        }
    }
}
