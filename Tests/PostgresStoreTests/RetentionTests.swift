// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("What PostgreSQL removes for its age", .timeLimit(.minutes(5)))
struct RetentionTests {
    @Test("leaves no row behind, however many batches and failures it has and however little goes at once")
    func nothingLeft() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 20_500)
            try await store.accept(plan)
            for claimed in try await store.claim() {
                let range = 0..<claimed.batch.targets.count
                let failures = range.prefix(600).map { Settlement.Failure(index: $0, outcome: .failed(.deadline)) }
                try await store.settle(Settlement(of: claimed, range: range, failures: failures), now: StoreSamples.now)
            }
            #expect(try await database.execute("SELECT count(*) FROM apus.batch_failures") == ["1700"])
            var pruned = PrunedNotifications(hasMore: true)
            var batches: [Int] = []
            while pruned.hasMore {
                pruned = try await store.pruneNotifications(settledBefore: StoreSamples.after(1), limit: 1000)
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

    @Test("finds what a process of an older version settled, behind however much that is not settled")
    func unnoted() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plans = try (0..<4).map { try StoreSamples.plan(now: StoreSamples.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            for (number, batch) in try await store.claim(limit: 3).enumerated() {
                // The second one is settled late, and that is noted.
                let time = StoreSamples.after(number == 1 ? 100 : 5)
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: time)
            }
            try await database.execute(
                """
                DELETE FROM apus.settled_notifications WHERE settled_at < \(StoreSamples.milliseconds(after: 50));
                INSERT INTO apus.notifications (id, app, created_at, target_count, batch_count, open_batches, is_open)
                SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 0, 0, 0, 0, true
                FROM generate_series(1, 2500) AS n
                """
            )
            // Without a note they count from their acceptance.
            #expect(try await Self.pruneAll(store, before: 2) == PrunedNotifications(notifications: 1, batches: 1))
            #expect(try await Self.pruneAll(store, before: 50) == PrunedNotifications(notifications: 1, batches: 1))
            #expect(try await Self.pruneAll(store, before: 50) == PrunedNotifications())
            let left = [1, 3].map { plans[$0].notification.id }
            for id in left { #expect(try await store.notification(id) != nil) }
            for plan in [plans[0], plans[2]] { #expect(try await store.notification(plan.notification.id) == nil) }
            #expect(try await database.execute("SELECT count(*) FROM apus.notifications") == ["2502"])
            #expect(try await database.execute("SELECT count(*) FROM apus.settled_notifications") == ["1"])
        }
    }

    private static func pruneAll(_ store: PostgresStore, before seconds: Double) async throws -> PrunedNotifications {
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
