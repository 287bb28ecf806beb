// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("A batch that is corrupt", .timeLimit(.minutes(20)))
struct CorruptBatchTests {
    @Test(
        "ends its campaign all the same, with its targets counted as failed",
        arguments: [
            "UPDATE batches SET target_count = 0 WHERE ordinal = 1",
            "UPDATE batches SET deferred = x'07' WHERE ordinal = 1",
            "UPDATE batches SET id = x'0190000000007000800000000000000f' WHERE ordinal = 1",
            "UPDATE batches SET state = 1, worker = NULL WHERE ordinal = 1",
            "UPDATE batches SET state = 2, claimable_at = -9223372036854775807 WHERE ordinal = 1",
            "UPDATE batches SET delivered = -9223372036854775807 WHERE ordinal = 1",
            "UPDATE batches SET setbacks = 9223372036854775807 WHERE ordinal = 1",
            "UPDATE batches SET held = 9223372036854775807 WHERE ordinal = 1",
            "DELETE FROM batch_contents WHERE number = (SELECT content FROM batches WHERE ordinal = 1)",
        ]
    )
    func campaign(damage: String) async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 2, isLast: false)
            try await store.advance(try CampaignFixtures.step(campaign, plan, targets: 2..<5, isLast: true))
            try await Intruder(path: path).execute(damage)
            let claimed = try await store.claim(.bulk)
            #expect(claimed.map(\.batch.ordinal) == [0])
            for batch in claimed {
                _ = try await store.settle(
                    Settlement(of: batch, range: 0..<2, failures: []),
                    now: StoreFixtures.after(1)
                )
            }
            let status = try await store.status(of: campaign)
            #expect(status.lifecycle.state == .completed)
            #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.corrupt: 3]))
            let kinds: Set<EventType> = [.notificationCompleted, .campaignCompleted]
            let events = try await store.events(of: StoreFixtures.app, after: nil, limit: 99, kinds: kinds)
            #expect(events.events.count == 2)
            #expect(try await store.claim(.bulk, now: StoreFixtures.after(1000)).isEmpty)
        }
    }

    @Test("keeps none of the others from being sent, even if it cannot be ended at once")
    func others() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let plans = try (0..<3).map { try StoreFixtures.plan(now: StoreFixtures.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            let intruder = try Intruder(path: path)
            try await intruder.execute(
                """
                CREATE TRIGGER keeping BEFORE UPDATE ON batches WHEN new.failure IS NOT NULL
                BEGIN SELECT RAISE(ABORT, 'kept'); END;
                UPDATE batch_contents SET topic = '' WHERE number = 2;
                """
            )
            let sound = [plans[0], plans[2]].flatMap(\.batches)
            let claimed = try await store.claim(now: StoreFixtures.after(3))
            #expect(claimed.map(\.batch) == sound)
            for batch in claimed {
                _ = try await store.settle(
                    Settlement(of: batch, range: 0..<1, failures: []),
                    now: StoreFixtures.after(4)
                )
            }
            // It is tried again when its lease has lapsed.
            try await intruder.execute("DROP TRIGGER keeping")
            #expect(try await store.claim(now: StoreFixtures.after(5)).isEmpty)
            #expect(try await store.notification(plans[1].notification.id)?.isDone == false)
            #expect(try await store.claim(now: StoreFixtures.after(63)).isEmpty)
            let status = try await store.notification(plans[1].notification.id)
            #expect(status?.counts == OutcomeCounts(failed: [.corrupt: 1]))
        }
    }
}
