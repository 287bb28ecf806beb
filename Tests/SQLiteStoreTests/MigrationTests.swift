// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("Databases of older versions", .timeLimit(.minutes(5)))
struct MigrationTests {
    @Test("from before there were campaigns, devices can be chosen by their app's version, and batches are sent on")
    func campaigns() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("store.sqlite").path
            let configuration = SQLiteStoreConfiguration(path: path)
            let plan = try StoreSamples.plan(targets: 3)
            let settled = try StoreSamples.plan(now: StoreSamples.after(-60))
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                try await store.addSampleApp()
                for (number, version) in ["2.9", "2.10", nil, "beta"].enumerated() {
                    let profile = DeviceProfile(appVersion: version)
                    let registration = try StoreSamples.registration(
                        InstallationID(unchecked: "device-\(number)"),
                        token: number,
                        profile: profile
                    )
                    try await store.register(registration, now: StoreSamples.now)
                }
                try await store.accept(settled)
                let claimed = try #require(try await store.claim().first)
                try await store.settle(Settlement(of: claimed, range: 0..<1, failures: []), now: StoreSamples.now)
                try await store.accept(plan)
            }
            try await Intruder(path: path).execute(
                """
                DROP TRIGGER devices_numbered;
                ALTER TABLE apps DROP COLUMN numbered_through;
                DROP TABLE interruptions;
                DROP TABLE topic_deliveries;
                DROP TABLE topic_messages;
                DROP TABLE subscriptions;
                DROP TABLE topic_policies;
                DROP TABLE topic_remains;
                DROP TABLE topic_shares;
                DROP TABLE topics;
                DROP TABLE delivery_identity;
                DROP TABLE endpoint_events;
                DROP TABLE endpoint_event_drops;
                DROP TABLE endpoint_publications;
                DROP TABLE platform_applications;
                DROP TABLE delivery_pauses;
                ALTER TABLE batches DROP COLUMN held;
                ALTER TABLE batches DROP COLUMN interrupted;
                ALTER TABLE devices DROP COLUMN user_data;
                ALTER TABLE api_keys DROP COLUMN signing_secret;
                ALTER TABLE api_keys DROP COLUMN last_used_at;
                DROP TABLE channels;
                DROP TABLE job_runs;
                DROP TABLE jobs;
                DROP TABLE activity_types;
                DROP TABLE activity_rollouts;
                DROP TABLE activity_timeline;
                DROP TABLE activity_transitions;
                DROP TABLE activity_waiting;
                DROP TABLE activity_batches;
                DROP TABLE activity_participants;
                DROP TABLE activity_instants;
                DROP TABLE activities;
                DROP TABLE push_to_start_tokens;
                ALTER TABLE batches DROP COLUMN is_activity;
                DROP INDEX notifications_by_resent;
                ALTER TABLE notifications DROP COLUMN resend_through;
                ALTER TABLE notifications DROP COLUMN resend_of;
                ALTER TABLE devices DROP COLUMN app_version_key;
                ALTER TABLE notifications DROP COLUMN is_open;
                ALTER TABLE batches DROP COLUMN halt;
                DROP INDEX batches_unsettled;
                DROP TABLE campaigns;
                DROP TABLE stream_chunks;
                DROP TABLE streams;
                DROP TABLE idempotency_records;
                DROP TABLE webhook_deliveries;
                DROP TABLE webhooks;
                DROP TABLE credential_troubles;
                DROP TABLE event_horizons;
                DROP TABLE events;
                DROP TABLE settled_notifications;
                DROP INDEX notifications_by_app;
                PRAGMA user_version = 1;
                """
            )
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                let audience = Audience.appVersion(AppVersionRange(atLeast: AppVersion("2.9.1")))
                let members = try await store.members(
                    of: audience,
                    app: StoreSamples.app,
                    in: AudienceRange(),
                    limit: 10,
                    depth: .none
                )
                #expect(members.map(\.target) == [try StoreSamples.target(1)])
                // What was settled then counts from its acceptance; the other one is not settled.
                let pruned = try await store.pruneNotifications(settledBefore: StoreSamples.now, limit: 1000)
                #expect(pruned == PrunedNotifications(notifications: 1, batches: 1))
                #expect(try await store.notification(settled.notification.id) == nil)
                let claimed = try #require(try await store.claim().first)
                try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreSamples.now)
                #expect(try await store.notification(plan.notification.id)?.isDone == true)
            }
        }
    }
}
