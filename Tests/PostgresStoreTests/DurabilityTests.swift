// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import Testing

@testable import PostgresStore

@Suite("What PostgreSQL stores lasts", .timeLimit(.minutes(5)))
struct DurabilityTests {
    @Test(
        "migrations that have landed never change",
        arguments: [(1, 0x24A6C7F8D52DCFCE as UInt64), (2, 0x3B6CC100362A6122), (3, 0xB92E_EA4C_648C_11DD)]
    )
    func migrations(number: Int, checksum: UInt64) throws {
        try #require(Schema.migrations.count >= number)
        // A new migration gets a row of its own; a changed row means that databases in use differ.
        #expect(MigrationFingerprint.of(Schema.migrations[number - 1]) == checksum)
    }

    @Test("deleting an app leaves nothing of it behind")
    func deleteApp() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan(targets: 10_001))
            try await store.register(StoreSamples.registration(1, token: 1), now: StoreSamples.now)
            let claimed = try await store.claim()
            let failure = Settlement.Failure(index: 0, outcome: .failed(.deadline))
            try await store.settle(Settlement(of: claimed[0], range: 0..<1, failures: [failure]), now: StoreSamples.now)
            try await store.createCampaign(CampaignSamples.campaign())
            let plan = try StoreSamples.plan()
            let slot = IdempotencySlot(app: StoreSamples.app, apiKey: "key", key: "order")
            let record = IdempotencyRecord(
                slot: slot,
                requestHash: [1],
                notification: plan.notification.id,
                answer: IdempotencyRecord.Answer(status: 202, body: []),
                createdAt: StoreSamples.now
            )
            try await store.accept(plan.notification, batches: plan.batches, noting: .answer(record))
            let chunk = StreamChunk(
                stream: "stream",
                app: StoreSamples.app,
                lines: 1..<3,
                notification: nil,
                entries: [1],
                createdAt: StoreSamples.now
            )
            try await store.append(chunk)
            try await store.cancel(plan.notification.id, now: StoreSamples.now)
            try await store.createWebhook(StoreSamples.webhook())
            _ = try await store.claimWebhooks()
            var booked = StoreSamples.settlement(.advanced(to: .beginning))
            booked.delivery = WebhookDelivery(
                message: "message",
                time: StoreSamples.now,
                first: .beginning,
                last: .beginning,
                count: 1,
                attempt: 1,
                answer: WebhookAnswer(status: 204)
            )
            _ = try await store.settleWebhook(booked, now: StoreSamples.now)
            let subject = CredentialTrouble.Subject(app: StoreSamples.app, environment: .sandbox, pushType: .alert)
            let trouble = CredentialTrouble(subject: subject, cause: .failed(.noCredential))
            try await store.credentialTroubled(trouble, now: StoreSamples.now)
            try await store.deleteApp(StoreSamples.app)
            let tables = try await database.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = 'apus'::regnamespace AND relkind = 'r'"
            )
            for table in tables where table != "store_schema" {
                #expect(try await database.execute("SELECT count(*) FROM apus.\(table)") == ["0"], "\(table)")
            }
        }
    }

    @Test(
        "a damaged batch fails with a reason instead of being claimed for ever, and the others are still claimed",
        arguments: [
            #"UPDATE apus.batch_contents SET targets = '\x07' WHERE batch = "#,
            "UPDATE apus.batch_contents SET topic = '' WHERE batch = ",
            "DELETE FROM apus.batch_contents WHERE batch = ",
            #"UPDATE apus.batches SET deferred = '\x07' WHERE id = "#,
            "UPDATE apus.batches SET next_target = 3 WHERE id = ",
            "UPDATE apus.batches SET next_target = -1 WHERE id = ",
            #"UPDATE apus.batches SET deferred = '\x0100000001000000000000000000000000' WHERE id = "#,
            "UPDATE apus.batch_contents SET targets = substr(targets, 1, 35) WHERE batch = ",
        ]
    )
    func damagedBatch(damage: String) async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let damaged = try StoreSamples.plan(targets: 2)
            let sound = try StoreSamples.plan(now: StoreSamples.now.addingTimeInterval(1))
            try await store.accept(damaged)
            try await store.accept(sound)
            try await database.execute(damage + "'\(damaged.batches[0].id)'")
            var changes = store.changes().makeAsyncIterator()
            #expect(try await store.claim().map(\.batch.id) == [sound.batches[0].id])
            #expect(await changes.next() == .batchAdvanced(damaged.batches[0].id))
            #expect(await changes.next() == .notificationSettled(damaged.notification.id))
            let status = try await store.notification(damaged.notification.id)
            #expect(status?.batches.map(\.lifecycle.state) == [.failed(.damaged)])
            #expect(status?.counts == OutcomeCounts(failed: [.damaged: 2]))
            let later = try await store.claim(now: StoreSamples.now.addingTimeInterval(1000))
            #expect(later.map(\.batch.id) == [sound.batches[0].id])
        }
    }

    @Test("registrations in bulk come to the same as one after the other")
    func bulkRegistration() async throws {
        var generator = SystemRandomNumberGenerator()
        let registrations = try (0..<400).map { _ in
            try StoreSamples.registration(
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
                    let now = StoreSamples.now.addingTimeInterval(Double(start))
                    for registration in part { try await single.register(registration, now: now) }
                    try await bulk.register(part, now: now)
                    let expected = try await single.devices(of: StoreSamples.app, after: nil, limit: 1000).elements
                    #expect(try await bulk.devices(of: StoreSamples.app, after: nil, limit: 1000).elements == expected)
                }
            }
        }
    }

    @Test("the queries of the hot path use their indices")
    func queryPlans() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            for _ in 0..<50 { try await store.accept(StoreSamples.plan()) }
            try await store.register(
                (0..<2000).map { try StoreSamples.registration($0, token: $0) },
                now: StoreSamples.now
            )
            try await database.execute("ANALYZE")
            let claim = PostgresConnection.claimableQuery.replacing("$1", with: "0").replacing("$2", with: "0")
                .replacing("$3::bigint[]", with: "'{1}'::bigint[]").replacing("$4::bigint[]", with: "'{10}'::bigint[]")
            let expected = [
                (claim, "batches_open"), (PostgresConnection.openKindsQuery.replacing("$1", with: "0"), "batches_open"),
                ("SELECT * FROM devices WHERE app = 1 AND number > 10 ORDER BY number LIMIT 10", "devices_pkey"),
                ("SELECT * FROM devices WHERE app = 1 AND installation = 'a'", "devices_by_installation"),
                (#"SELECT * FROM devices WHERE app = 1 AND environment = 1 AND token = '\x00'"#, "devices_by_token"),
                (
                    PostgresConnection.nextClaimQuery.replacing("$1", with: "0").replacing("$2", with: "0"),
                    "batches_open"
                ),
                (
                    PostgresStore.claimableQuery.replacing("$1", with: "9").replacing("$2", with: "10"),
                    "campaigns_claimable"
                ),
                (
                    "SELECT * FROM batches WHERE notification = '\(UUID())' AND (state < 3 OR state = 7) ORDER BY id",
                    "batches_unsettled"
                ),
                (
                    "SELECT * FROM settled_notifications WHERE settled_at < 9 ORDER BY settled_at, notification LIMIT 9",
                    "settled_notifications_pkey"
                ),
            ]
            for (sql, index) in expected {
                let plan = try await database.execute(
                    "SET search_path = apus; SET enable_seqscan = off; EXPLAIN \(sql)"
                )
                #expect(plan.contains { $0.contains("using \(index)") }, "\(sql): \(plan)")
            }
        }
    }

    @Test("devices are read in the order of their index, whatever the server knows of the table")
    func readingPlan() async throws {
        let audience = Audience.and([.topic("news"), .not(.environment(.sandbox))])
        let range = AudienceRange(after: 10, through: 5000)
        let query = AudienceQuery.members(of: audience, app: StoreSamples.app, in: range, limit: 100, depth: .all)
        var sql = query.sql
        for (number, value) in query.values.enumerated().reversed() {
            sql = sql.replacing("$\(number + 1)", with: try #require(value.literal))
        }
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            for part in 0..<5 {
                try await store.register(
                    (part * 1000..<part * 1000 + 1000).map { try StoreSamples.registration($0, token: $0) },
                    now: StoreSamples.now
                )
            }
            for preparation in ["SELECT 1", "ANALYZE"] {
                try await database.execute(preparation)
                let plan = try await database.execute(
                    "SET search_path = apus; \(AudienceQuery.inOrder); EXPLAIN \(sql)"
                )
                #expect(plan.contains { $0.contains("using devices_pkey") }, "\(plan)")
                #expect(!plan.contains { $0.contains("Sort") }, "\(plan)")
            }
        }
    }
}

extension PostgresValue {
    /// The value as it would be written in a statement; `nil` for kinds that no test writes.
    fileprivate var literal: String? {
        switch self {
        case .integer(let number?): "\(number)"
        case .text(let text?): "'\(text)'"
        default: nil
        }
    }
}
