// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import PostgresStore
@testable import SQLStore

@Suite("What PostgreSQL stores lasts", .timeLimit(.minutes(20)))
struct DurabilityTests {
    @Test("migrations that have landed never change")
    func migrations() {
        // Append the fingerprint of a new migration. A changed one means that databases in use differ.
        let landed: [UInt64] = [
            0x6ae4_e07f_26ac_9f0c, 0xd4ba_da26_9e88_dd86, 0x5f50_2fa4_f242_175b, 0xd15a_c5e6_76a7_4ea9,
            0x6baa_b927_1d10_6c78, 0xe4e2_9cc2_f718_20c4,
        ]
        #expect(Schema.migrations.map(MigrationChecksum.of) == landed)
    }

    @Test("a session that stores acknowledged changes waits for the disk as the database is configured")
    func synchronousCommit() async throws {
        try await withTemporaryStore { store, database in
            let setting =
                "SELECT setting || ' by ' || source AS value FROM pg_settings WHERE name = 'synchronous_commit'"
            #expect(
                try await store.write { connection, _ in try connection.row(text: setting)?.text("value") }
                    == "on by default"
            )
            let name = database.name
            try await database.execute("ALTER DATABASE \(name) SET synchronous_commit = remote_write")
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other async throws in
                #expect(
                    try await other.write { connection, _ in try connection.row(text: setting)?.text("value") }
                        == "remote_write by database"
                )
            }
        }
    }

    @Test("deleting an app leaves nothing of it behind")
    func deleteApp() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 10_001))
            _ = try await store.register(StoreFixtures.registration(1, token: 1), now: StoreFixtures.now)
            let claimed = try await store.claim()
            let failure = Settlement.Failure(index: 0, outcome: .failed(.timeout))
            _ = try await store.settle(
                Settlement(of: claimed[0], range: 0..<1, failures: [failure]),
                now: StoreFixtures.now
            )
            try await store.createCampaign(CampaignFixtures.campaign())
            let plan = try StoreFixtures.plan()
            let slot = ScopedIdempotencyKey(app: StoreFixtures.app, apiKey: "key", key: "order")
            let record = IdempotencyRecord(
                slot: slot,
                requestHash: [1],
                notification: plan.notification.id,
                answer: IdempotencyRecord.Answer(status: 202, body: []),
                createdAt: StoreFixtures.now
            )
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            let chunk = StreamChunk(
                stream: "stream",
                app: StoreFixtures.app,
                lines: 1..<3,
                notification: nil,
                entries: [1],
                createdAt: StoreFixtures.now
            )
            try await store.append(chunk)
            _ = try await store.cancel(plan.notification.id, now: StoreFixtures.now)
            try await store.notePause(
                OpenCircuit(
                    line: OpenCircuit.Circuit(app: StoreFixtures.app, environment: .sandbox, credential: "key"),
                    pushTypes: [.alert],
                    cause: "credential",
                    reason: "InvalidProviderToken",
                    since: StoreFixtures.now,
                    nextProbeAt: StoreFixtures.now
                )
            )
            try await store.createWebhook(StoreFixtures.webhook())
            _ = try await store.claimWebhooks()
            var booked = StoreFixtures.settlement(.advanced(to: .beginning))
            booked.delivery = WebhookDeliveryAttempt(
                message: "message",
                time: StoreFixtures.now,
                first: .beginning,
                last: .beginning,
                count: 1,
                attempt: 1,
                response: WebhookAttemptResult(status: 204)
            )
            _ = try await store.settleWebhook(booked, now: StoreFixtures.now)
            let subject = CredentialFailure.Subject(app: StoreFixtures.app, environment: .sandbox, pushType: .alert)
            let trouble = CredentialFailure(subject: subject, cause: .failed(.noCredential))
            _ = try await store.credentialFailed(trouble, now: StoreFixtures.now)
            try await store.deleteApp(StoreFixtures.app)
            let tables = try await database.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = 'apus'::regnamespace AND relkind = 'r'"
            )
            // The audit log outlives what it describes.
            for table in tables where !["store_schema", "audit_log"].contains(table) {
                #expect(try await database.execute("SELECT count(*) FROM apus.\(table)") == ["0"], "\(table)")
            }
        }
    }

    @Test(
        "a corrupt batch fails with a reason instead of being claimed for ever, and the others are still claimed",
        arguments: [
            #"UPDATE apus.batch_contents SET targets = '\x07' WHERE batch = "#,
            "UPDATE apus.batch_contents SET topic = '' WHERE batch = ",
            "DELETE FROM apus.batch_contents WHERE batch = ",
            #"UPDATE apus.batches SET deferred = '\x07' WHERE id = "#,
            "UPDATE apus.batches SET next_target = 3 WHERE id = ",
            "UPDATE apus.batches SET next_target = -1 WHERE id = ",
            "UPDATE apus.batches SET target_count = 0 WHERE id = ",
            "UPDATE apus.batches SET target_count = 70000, delivered = -1 WHERE id = ",
            #"UPDATE apus.batches SET deferred = '\x0100000001000000000000000000000000' WHERE id = "#,
            "UPDATE apus.batch_contents SET targets = substr(targets, 1, 35) WHERE batch = ",
        ]
    )
    func damagedBatch(damage: String) async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let damaged = try StoreFixtures.plan(targets: 2)
            let sound = try StoreFixtures.plan(now: StoreFixtures.now.addingTimeInterval(1))
            try await store.accept(damaged)
            try await store.accept(sound)
            try await database.execute(damage + "'\(damaged.batches[0].id)'")
            var changes = store.changes().makeAsyncIterator()
            #expect(try await store.claim().map(\.batch.id) == [sound.batches[0].id])
            #expect(await changes.next() == .batchAdvanced(damaged.batches[0].id))
            #expect(await changes.next() == .notificationSettled(damaged.notification.id))
            let status = try await store.notification(damaged.notification.id)
            #expect(status?.batches.map(\.lifecycle.state) == [.failed(.corrupt)])
            #expect(status?.counts == OutcomeCounts(failed: [.corrupt: 2]))
            let later = try await store.claim(now: StoreFixtures.now.addingTimeInterval(1000))
            #expect(later.map(\.batch.id) == [sound.batches[0].id])
        }
    }

    @Test("registrations in bulk come to the same as one after the other")
    func bulkRegistration() async throws {
        var generator = SystemRandomNumberGenerator()
        let registrations = try (0..<400).map { _ in
            try StoreFixtures.registration(
                .random(in: 0..<30, using: &generator),
                token: .random(in: 0..<30, using: &generator)
            )
        }
        try await withTemporaryStore { single, _ in
            try await withTemporaryStore { bulk, _ in
                try await single.addSampleApp()
                try await bulk.addSampleApp()
                for start in stride(from: 0, to: 400, by: 40) {
                    let part = Array(registrations[start..<(start + 40)])
                    let now = StoreFixtures.now.addingTimeInterval(Double(start))
                    for registration in part { _ = try await single.register(registration, now: now) }
                    _ = try await bulk.register(part, now: now)
                    let expected = try await single.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 1000)
                        .elements
                    #expect(
                        try await bulk.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 1000).elements
                            == expected
                    )
                }
            }
        }
    }

    @Test("the server takes the indices for the queries of the hot path, with and without their values")
    func queryPlans() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            for _ in 0..<50 { try await store.accept(StoreFixtures.plan()) }
            // So much that is done with that nobody would read all of it.
            try await database.execute(
                """
                INSERT INTO apus.batches (id, notification, app, kind, created_at, ordinal, next_target, target_count,
                    delivered, setbacks, lane, state)
                SELECT gen_random_uuid(), gen_random_uuid(), 1, 1, 0, 0, 1, 1, 1, 0, 0, 3 FROM generate_series(1, 20000);
                INSERT INTO apus.devices (app, registered_at, seen_at, created_at, status, environment, token,
                    installation, user_id, topics)
                SELECT 1, 0, 0, 0, 0, 1, decode(md5(n::text), 'hex'), n, n, '{}' FROM generate_series(1, 20000) AS n;
                INSERT INTO apus.campaigns (id, app, planning_at, setbacks, state, definition)
                SELECT gen_random_uuid(), 1, 0, 0, 3, '' FROM generate_series(1, 20000);
                INSERT INTO apus.settled_notifications (settled_at, app, notification)
                SELECT n, n, gen_random_uuid() FROM generate_series(1, 20000) AS n;
                INSERT INTO apus.stream_chunks (app, end_line, first_line, created_at, stream, entries)
                SELECT 1, n, n, 0, n % 100, '' FROM generate_series(1, 20000) AS n;
                ANALYZE
                """
            )
            let streams = try SQLRows("old", ["7"], ["app": { _ in .integer(1) }, "id": { .text($0) }])
            let expected = [
                (
                    SQLStatement.claimableOnPostgres.text(for: .postgres), "(int8, int8, int8[], int8[], int8)",
                    "0, 9, '{1}', '{10}', -1", "batches_open"
                ),
                (
                    SQLStatement.overdue.text(for: .postgres), "(int8, int8, int8[], int8)", "0, 9, '{1}', 200",
                    "batches_open"
                ),
                (SQLStatement.openKinds.text(for: .postgres), "(int8)", "0", "batches_open"),
                (SQLStatement.nextClaim.text(for: .postgres), "(int8, int8)", "0, 9", "batches_open"),
                (
                    SQL.claimableCampaigns(now: StoreFixtures.now, limit: 10).text(for: .postgres), "(int8, int8)",
                    "9, 10", "campaigns_claimable"
                ),
                (
                    "SELECT * FROM devices WHERE app = $1 AND number > $2 ORDER BY number LIMIT 10", "(int8, int8)",
                    "1, 10", "devices_pkey"
                ),
                (
                    "SELECT * FROM devices WHERE app = $1 AND installation = $2", "(int8, text)", "1, 'a'",
                    "devices_by_installation"
                ),
                (
                    "SELECT * FROM devices WHERE app = $1 AND environment = $2 AND token = $3", "(int8, int8, bytea)",
                    #"1, 1, '\x00'"#, "devices_by_token"
                ),
                (
                    "SELECT * FROM batches WHERE notification = $1 AND (state < 3 OR state = 7) ORDER BY id", "(uuid)",
                    "'\(UUID())'", "batches_"
                ),
                (
                    "SELECT * FROM settled_notifications WHERE settled_at < $1 ORDER BY settled_at, notification LIMIT 9",
                    "(int8)", "9", "settled_notifications_pkey"
                ),
                (
                    "DELETE FROM settled_notifications WHERE app = $1", "(int8)", "2", "settled_notifications_by_app"
                ),
                (
                    SQL.chunkRemoval(streams).text(for: .postgres), "(int8[], text[], int8, int8)",
                    "'{1, 1}', '{7, 8}', 1000, 1000", "stream_chunks_pkey"
                ),
            ]
            for (sql, types, values, index) in expected {
                for mode in ["force_custom_plan", "force_generic_plan"] {
                    let plan = try await database.execute(
                        """
                        SET search_path = apus; SET plan_cache_mode = \(mode); PREPARE query \(types) AS \(sql);
                        EXPLAIN EXECUTE query(\(values))
                        """
                    )
                    #expect(plan.contains { $0.contains(" \(index)") }, "\(mode) \(sql): \(plan)")
                    #expect(!plan.contains { $0.contains("Seq Scan on batches") }, "\(mode) \(sql): \(plan)")
                    #expect(!plan.contains { $0.contains("Seq Scan on devices") }, "\(mode) \(sql): \(plan)")
                    #expect(!plan.contains { $0.contains("Seq Scan on stream_chunks") }, "\(mode) \(sql): \(plan)")
                }
            }
        }
    }

    @Test("devices are read in the order of their index, whatever the server knows of the table")
    func readingPlan() async throws {
        let (app, cursor) = (StoreFixtures.app, Int64(10))
        let start: [SQLValue] = [.text(app.rawValue), .integer(10)]
        let places = SQL.devicePlaces(of: app, after: cursor, in: .postgres)
        let page = SQL.devicePage(in: places, limit: 100)
        let bounded = SQL.devicePlaces(of: app, after: cursor, through: 900, in: .postgres)
        let window = SQL.devicePage(in: bounded, where: "status = 1", limit: 7)
        let statements = [
            try Self.text(page.text(for: .postgres), start + [.integer(100)]),
            try Self.text(window.text(for: .postgres), start + [.integer(900), .integer(7)]),
            try Self.text(SQL.lastDeviceOfWindow(in: places).text(for: .postgres), start),
        ]
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            for part in 0..<5 {
                _ = try await store.register(
                    (part * 1000..<part * 1000 + 1000).map { try StoreFixtures.registration($0, token: $0) },
                    now: StoreFixtures.now
                )
            }
            // The first import makes statistics.
            let removal = """
                DELETE FROM pg_statistic WHERE starelid = 'apus.devices'::regclass;
                UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid = 'apus.devices'::regclass
                """
            for preparation in [removal, "ANALYZE"] {
                try await database.execute(preparation)
                for sql in statements {
                    let plan = try await database.execute(
                        "SET search_path = apus; \(SQL.devicesInOrder.text(for: .postgres)); EXPLAIN \(sql)"
                    )
                    #expect(plan.contains { $0.contains("using devices_pkey") }, "\(plan)")
                    #expect(!plan.contains { $0.contains("Sort") }, "\(plan)")
                }
            }
        }
    }

    /// A statement with its values written out.
    private static func text(_ sql: String, _ values: [SQLValue]) throws -> String {
        try values.enumerated().reversed().reduce(into: sql) { sql, value in
            sql = sql.replacing("$\(value.offset + 1)", with: try #require(value.element.literal))
        }
    }
}

extension SQLValue {
    /// The value as it would be written in a statement; `nil` for kinds that no test writes.
    fileprivate var literal: String? {
        switch self {
        case .integer(let number?): "\(number)"
        case .text(let text?): "'\(text)'"
        default: nil
        }
    }
}
