// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("What SQLite removes for its age", .timeLimit(.minutes(20)))
struct RetentionTests {
    @Test("leaves no row behind, however many failures it has and however little goes at once")
    func nothingLeft() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10_500)
            try await store.accept(plan)
            for claimed in try await store.claim() {
                let range = 0..<claimed.batch.targets.count
                let failures = range.map { Settlement.Failure(index: $0, outcome: .failed(.timeout)) }
                _ = try await store.settle(
                    Settlement(of: claimed, range: range, failures: failures),
                    now: StoreFixtures.now
                )
            }
            let intruder = try Intruder(path: path)
            var failures = try await intruder.count("batch_failures")
            #expect(failures == 10_500)
            var pruned = PrunedNotifications(hasMore: true)
            var batches = 0
            while pruned.hasMore {
                pruned = try await store.pruneNotifications(settledBefore: StoreFixtures.after(1), limit: 1000)
                batches += pruned.batches
                let left = try await intruder.count("batch_failures")
                #expect(failures - left <= 1000)
                failures = left
                #expect(try await store.notification(plan.notification.id) == nil)
            }
            #expect(batches == 2)
            for table in [
                "notifications", "batches", "batch_contents", "batch_counts", "batch_failures", "settled_notifications",
            ] {
                #expect(try await intruder.count(table) == 0, "\(table)")
            }
        }
    }
}
