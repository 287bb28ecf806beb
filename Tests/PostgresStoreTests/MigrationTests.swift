// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("PostgreSQL databases of older versions", .timeLimit(.minutes(5)))
struct MigrationTests {
    @Test("from before anything was removed for its age have their settled notifications removed, and no others")
    func retention() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let settled = try StoreSamples.plan(now: StoreSamples.after(-60))
            let young = try StoreSamples.plan(now: StoreSamples.after(60))
            let open = try StoreSamples.plan(now: StoreSamples.after(-30))
            for plan in [settled, young, open] { try await store.accept(plan) }
            for batch in try await store.claim() where batch.batch.notification != open.notification.id {
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: StoreSamples.now)
            }
            try await database.execute(
                """
                DROP TABLE apus.workers, apus.interruptions; DROP SEQUENCE apus.worker_numbers;
                ALTER TABLE apus.batches DROP COLUMN interrupted;
                DROP INDEX apus.devices_by_topic;
                ALTER TABLE apus.notifications DROP COLUMN resend_through;
                CREATE UNIQUE INDEX notifications_by_resent ON apus.notifications (resend_of) WHERE resend_of IS NOT NULL;
                DROP TABLE apus.topic_deliveries, apus.topic_messages, apus.subscriptions, apus.topic_policies,
                    apus.topic_remains, apus.topic_shares, apus.topics;
                DROP TABLE apus.platform_applications, apus.delivery_identity, apus.endpoint_events,
                    apus.endpoint_event_drops, apus.endpoint_publications;
                DROP TABLE apus.delivery_pauses;
                ALTER TABLE apus.batches DROP COLUMN held;
                ALTER TABLE apus.campaigns DROP COLUMN paused_at, DROP COLUMN runs_since, DROP COLUMN runs_from;
                ALTER TABLE apus.devices DROP COLUMN user_data;
                ALTER TABLE apus.api_keys DROP COLUMN signing_secret, DROP COLUMN last_used_at;
                DROP TABLE apus.channels, apus.activity_types, apus.job_runs, apus.jobs, apus.activity_rollouts,
                    apus.activity_timeline, apus.activity_transitions, apus.activity_waiting, apus.activity_batches,
                    apus.activity_participants, apus.activity_instants, apus.activity_due, apus.activities,
                    apus.push_to_start_tokens;
                ALTER TABLE apus.batches DROP COLUMN is_activity, DROP COLUMN needs_relief;
                DROP TABLE apus.settled_notifications; UPDATE apus.store_schema SET version = 2
                """
            )
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
                let pruned = try await store.pruneNotifications(settledBefore: StoreSamples.now, limit: 1000)
                #expect(pruned == PrunedNotifications(notifications: 1, batches: 1))
                #expect(try await store.notification(settled.notification.id) == nil)
                for plan in [young, open] { #expect(try await store.notification(plan.notification.id) != nil) }
            }
        }
    }

    @Test("from before times had a table of their own carry out what was planned then, and so does what is planned now")
    func dueActivities() async throws {
        try await withTemporaryStore { store, database in
            for lesson: ActivityID in ["a", "b", "c"] { try await store.addLesson(lesson) }
            for lesson: ActivityID in ["a", "b"] { try await store.planEnding(of: lesson) }
            let due = try await store.nextActivityTime()
            try await database.execute(
                """
                DROP TABLE apus.workers, apus.interruptions; DROP SEQUENCE apus.worker_numbers;
                ALTER TABLE apus.batches DROP COLUMN interrupted;
                ALTER TABLE apus.activities ADD COLUMN due_at bigint;
                UPDATE apus.activities SET due_at = activity_due.due_at FROM apus.activity_due
                    WHERE activity_due.activity = activities.number;
                ALTER TABLE apus.activity_participants DROP COLUMN former_version;
                ALTER TABLE apus.api_keys DROP COLUMN last_used_at;
                ALTER TABLE apus.subscriptions DROP COLUMN sealed_user;
                DROP TABLE apus.activity_due; UPDATE apus.store_schema SET version = 18
                """
            )
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
                #expect(try await store.nextActivityTime() == due)
                try await store.planEnding(of: "c")
                let now = StoreSamples.after(2700)
                #expect(try await store.carryOutTransitions(limit: 100, now: now).entries.count == 3)
                #expect(try await store.carryOutTransitions(limit: 100, now: now).entries.isEmpty)
            }
        }
    }
}

extension PostgresStore {
    /// Plans what comes a quarter of an hour before the end of a lesson.
    fileprivate func planEnding(of lesson: ActivityID) async throws {
        let change = try ActivitySamples.patch(#"{"status":"ending"}"#)
        let plan = ActivitySamples.plan("ending", seconds: -900, change)
        _ = try await self.plan([plan], for: lesson, of: StoreSamples.app, now: StoreSamples.now)
    }
}
