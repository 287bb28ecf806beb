// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("What SQLite removes for its age", .timeLimit(.minutes(5)))
struct RetentionTests {
    @Test("leaves no row behind, however many failures it has and however little goes at once")
    func nothingLeft() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10_500)
            try await store.accept(plan)
            for claimed in try await store.claim() {
                let range = 0..<claimed.batch.targets.count
                let failures = range.map { Settlement.Failure(index: $0, outcome: .failed(.deadline)) }
                try await store.settle(Settlement(of: claimed, range: range, failures: failures), now: StoreSamples.now)
            }
            let intruder = try Intruder(path: path)
            var failures = try await intruder.count("batch_failures")
            #expect(failures == 10_500)
            var pruned = PrunedNotifications(hasMore: true)
            var batches = 0
            while pruned.hasMore {
                pruned = try await store.pruneNotifications(settledBefore: StoreSamples.after(1), limit: 1000)
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

    @Test("finds what a process of an older version settled, behind however much that is not settled")
    func unnoted() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let plans = try (0..<4).map { try StoreSamples.plan(now: StoreSamples.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            for (number, batch) in try await store.claim(limit: 3).enumerated() {
                // The second one is settled late, and that is noted.
                let time = StoreSamples.after(number == 1 ? 100 : 5)
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: time)
            }
            let intruder = try Intruder(path: path)
            try await intruder.execute(
                """
                DELETE FROM settled_notifications WHERE settled_at < \(StoreSamples.milliseconds(after: 50));
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
                INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open)
                SELECT CAST(char(1) || printf('%015d', n) AS BLOB), 1, 0, 0, 0, 1 FROM numbers;
                """
            )
            // Without a note they count from their acceptance.
            #expect(try await Self.pruneAll(store, before: 2) == PrunedNotifications(notifications: 1, batches: 1))
            #expect(try await Self.pruneAll(store, before: 50) == PrunedNotifications(notifications: 1, batches: 1))
            #expect(try await Self.pruneAll(store, before: 50) == PrunedNotifications())
            let left = [1, 3].map { plans[$0].notification.id }
            for id in left { #expect(try await store.notification(id) != nil) }
            for plan in [plans[0], plans[2]] { #expect(try await store.notification(plan.notification.id) == nil) }
            #expect(try await intruder.count("notifications") == 2502)
            #expect(try await intruder.count("settled_notifications") == 1)
        }
    }

    private static func pruneAll(_ store: SQLiteStore, before seconds: Double) async throws -> PrunedNotifications {
        var sum = PrunedNotifications()
        var pruned = PrunedNotifications(hasMore: true)
        while pruned.hasMore {
            pruned = try await store.pruneNotifications(settledBefore: StoreSamples.after(seconds), limit: 1000)
            sum.notifications += pruned.notifications
            sum.batches += pruned.batches
        }
        return sum
    }
}
