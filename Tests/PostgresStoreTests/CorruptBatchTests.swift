// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("A batch in PostgreSQL that is corrupt", .timeLimit(.minutes(20)))
struct CorruptBatchTests {
    @Test(
        "ends its campaign all the same, with its targets counted as failed",
        arguments: [
            "UPDATE apus.batches SET target_count = 0 WHERE ordinal = 1",
            #"UPDATE apus.batches SET deferred = '\x07' WHERE ordinal = 1"#,
            "UPDATE apus.batches SET id = '01900000-0000-7000-8000-00000000000f' WHERE ordinal = 1",
            "UPDATE apus.batches SET state = 1, worker = NULL WHERE ordinal = 1",
            "UPDATE apus.batches SET state = 2, claimable_at = -9223372036854775807 WHERE ordinal = 1",
            "UPDATE apus.batches SET delivered = -2147483647 WHERE ordinal = 1",
            "UPDATE apus.batches SET setbacks = 2147483647 WHERE ordinal = 1",
            "UPDATE apus.batches SET held = 9223372036854775807 WHERE ordinal = 1",
            "DELETE FROM apus.batch_contents WHERE batch = (SELECT id FROM apus.batches WHERE ordinal = 1)",
        ]
    )
    func campaign(damage: String) async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 2, isLast: false)
            try await store.advance(try CampaignFixtures.step(campaign, plan, targets: 2..<5, isLast: true))
            try await database.execute(damage)
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
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plans = try (0..<3).map { try StoreFixtures.plan(now: StoreFixtures.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            try await database.execute(
                """
                CREATE FUNCTION apus.keep() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'kept'; END $$;
                CREATE TRIGGER keeping BEFORE UPDATE ON apus.batches FOR EACH ROW WHEN (new.failure IS NOT NULL)
                    EXECUTE FUNCTION apus.keep();
                UPDATE apus.batch_contents SET topic = '' WHERE batch = '\(plans[1].batches[0].id)'
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
            try await database.execute("DROP TRIGGER keeping ON apus.batches")
            #expect(try await store.claim(now: StoreFixtures.after(5)).isEmpty)
            #expect(try await store.notification(plans[1].notification.id)?.isDone == false)
            #expect(try await store.claim(now: StoreFixtures.after(63)).isEmpty)
            let status = try await store.notification(plans[1].notification.id)
            #expect(status?.counts == OutcomeCounts(failed: [.corrupt: 1]))
        }
    }
}
