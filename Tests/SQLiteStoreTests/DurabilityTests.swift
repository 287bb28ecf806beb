// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLite
import StoreTesting
import Testing

@testable import SQLStore
@testable import SQLiteStore

@Suite("What SQLite stores lasts", .timeLimit(.minutes(20)))
struct DurabilityTests {
    @Test("closing and opening again keeps everything, leases and cursors included")
    func reopen() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = SQLiteStoreConfiguration(path: directory.appendingPathComponent("a.sqlite").path)
            let plan = try StoreFixtures.plan(targets: 3)
            let settled = try StoreFixtures.plan(targets: 1, now: StoreFixtures.now.addingTimeInterval(1))
            let device = try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                try await store.addSampleApp()
                let device = try await store.register(StoreFixtures.registration(1), now: StoreFixtures.now)
                try await store.accept(plan)
                try await store.accept(settled)
                let claimed = try await store.claim(limit: 1000)
                let deferral = Deferral(index: 1, attempts: 2, notBefore: StoreFixtures.now)
                _ = try await store.settle(
                    Settlement(of: claimed[0], range: 0..<2, failures: [], deferrals: [deferral]),
                    now: StoreFixtures.now
                )
                let failure = Settlement.Failure(index: 0, outcome: .failed(.timeout))
                _ = try await store.settle(
                    Settlement(of: claimed[1], range: 0..<1, failures: [failure]),
                    now: StoreFixtures.now
                )
                return device
            }
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                #expect(try await store.app(StoreFixtures.app)?.id == StoreFixtures.app)
                #expect(try await store.device(device.installation, of: StoreFixtures.app) == device)
                #expect(try await store.claim(limit: 1000).isEmpty)
                let again = try await store.claim(limit: 1000, now: StoreFixtures.now.addingTimeInterval(60))
                #expect(again.map(\.batch) == plan.batches)
                #expect(again.map(\.cursor) == [2])
                #expect(again.map(\.due) == [[Deferral(index: 1, attempts: 2, notBefore: StoreFixtures.now)]])
                let status = try await store.notification(settled.notification.id)
                #expect(status?.counts == OutcomeCounts(failed: [.timeout: 1]))
            }
        }
    }

    @Test(
        "the writing connection syncs as configured, after the switch to WAL too",
        arguments: [(SQLiteStoreConfiguration.Synchronous.full, 2), (.normal, 1)]
    )
    func synchronous(mode: SQLiteStoreConfiguration.Synchronous, pragma: Int) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: mode)
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                let found = try await store.writes.run { database, _ in
                    try database.value("PRAGMA synchronous")?.integer
                }
                #expect(found == Int64(pragma))
                let journal = try await store.read { try $0.value("PRAGMA journal_mode")?.text }
                #expect(journal == "wal")
                let checksKeys = try await store.writes.run { database, _ in
                    try database.value("PRAGMA foreign_keys")?.integer
                }
                #expect(checksKeys == 1)
            }
        }
    }

    @Test("migrations that have landed never change")
    func migrations() {
        // Append the fingerprint of a new migration. A changed one means that databases in use differ.
        let landed: [UInt64] = [
            0x9490_8580_400e_d7b9, 0x6ef5_0e0c_8b06_43e6, 0x9524_fbf7_e5ea_eceb, 0x7b9d_a747_5ab9_9cca,
            0x9d4f_01e9_40cb_aac2, 0x5eb7_e1d9_eab3_9d81,
        ]
        #expect(Schema.migrations.map(MigrationChecksum.of) == landed)
    }

    @Test("changes made at once share commits, and one that fails leaves the others alone")
    func groups() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taken = try StoreFixtures.plan()
            try await store.accept(taken)
            let plans = try (0..<200).map {
                try StoreFixtures.plan(now: StoreFixtures.now.addingTimeInterval(Double($0)))
            }
            let conflicts = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (place, plan) in plans.enumerated() {
                    group.addTask {
                        try await store.accept(plan)
                        return false
                    }
                    guard place.isMultiple(of: 4) else { continue }
                    group.addTask { try await storeError { try await store.accept(taken) }?.code == .conflict }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(conflicts == 50)
            #expect(try await store.claim(limit: 1000).count == plans.count + 1)
        }
    }

    @Test("deleting an app leaves nothing of its batches behind")
    func deleteApp() async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 10_001))
            _ = try await store.register(StoreFixtures.registration(1), now: StoreFixtures.now)
            let claimed = try await store.claim(limit: 1000)
            let failure = Settlement.Failure(index: 0, outcome: .failed(.timeout))
            _ = try await store.settle(
                Settlement(of: claimed[0], range: 0..<1, failures: [failure]),
                now: StoreFixtures.now
            )
            let settled = try StoreFixtures.plan()
            try await store.accept(settled)
            _ = try await store.cancel(settled.notification.id, now: StoreFixtures.now)
            try await store.deleteApp(StoreFixtures.app)
            let tables = [
                "notifications", "batches", "batch_contents", "batch_counts", "batch_failures", "devices",
                "settled_notifications",
            ]
            let intruder = try Intruder(path: path)
            for table in tables {
                #expect(try await intruder.count(table) == 0, "\(table)")
            }
        }
    }

    @Test(
        "a corrupt batch fails with a reason instead of being claimed for ever, and the others are still claimed",
        arguments: [
            "UPDATE batch_contents SET targets = x'07' WHERE number = 1",
            "UPDATE batch_contents SET topic = '' WHERE number = 1",
            "UPDATE batches SET deferred = x'07' WHERE content = 1",
            "UPDATE batches SET next_target = 3 WHERE content = 1",
            "UPDATE batches SET next_target = -1 WHERE content = 1",
            "UPDATE batches SET target_count = 0 WHERE content = 1",
            "UPDATE batches SET target_count = 70000, delivered = -1 WHERE content = 1",
            "DELETE FROM batch_contents WHERE number = 1",
            "UPDATE batches SET deferred = x'0100000001000000000000000000000000' WHERE content = 1",
            "UPDATE batch_contents SET targets = substr(targets, 1, 35) WHERE number = 1",
        ]
    )
    func damagedBatch(damage: String) async throws {
        try await withTemporaryStore { store, path in
            try await store.addSampleApp()
            let damaged = try StoreFixtures.plan(targets: 2)
            let sound = try StoreFixtures.plan(now: StoreFixtures.now.addingTimeInterval(1))
            try await store.accept(damaged)
            try await store.accept(sound)
            let intruder = try Intruder(path: path)
            try await intruder.execute(damage)
            var changes = store.changes().makeAsyncIterator()
            #expect(try await store.claim(limit: 1000).map(\.batch.id) == [sound.batches[0].id])
            #expect(await changes.next() == .batchAdvanced(damaged.batches[0].id))
            #expect(await changes.next() == .notificationSettled(damaged.notification.id))
            let status = try await store.notification(damaged.notification.id)
            #expect(status?.batches.map(\.lifecycle.state) == [.failed(.corrupt)])
            #expect(status?.counts == OutcomeCounts(failed: [.corrupt: 2]))
            let later = try await store.claim(limit: 1000, now: StoreFixtures.now.addingTimeInterval(1000))
            #expect(later.map(\.batch.id) == [sound.batches[0].id])
        }
    }

    @Test("the queries of the hot path use their indices and sort nothing")
    func queryPlans() async throws {
        let claim = """
            SELECT id FROM batches INDEXED BY batches_open WHERE lane = 0 AND kind = 1 AND state = 2 AND claimable_at <= 0
            ORDER BY claimable_at, id LIMIT 10
            """
        let expected = [
            (claim, "INDEX batches_open (lane=? AND kind=? AND state=? AND claimable_at<?)"),
            ("SELECT * FROM devices WHERE number > 0 AND number <= 9 ORDER BY number LIMIT 9", "INTEGER PRIMARY KEY"),
            ("SELECT * FROM devices WHERE app = 1 AND installation = 'a'", "INDEX devices_by_installation"),
            ("SELECT * FROM devices WHERE app = 1 AND environment = 1 AND token = x'00'", "INDEX devices_by_token"),
            ("SELECT * FROM devices WHERE app = 1 AND user_id = 'a'", "INDEX devices_by_user"),
            (
                "SELECT 1 FROM batches WHERE notification = x'00' AND (state < 3 OR state = 7)",
                "INDEX batches_unsettled (notification=?)"
            ),
            (
                "SELECT * FROM campaigns WHERE claimable_at <= 7 ORDER BY claimable_at LIMIT 9",
                "INDEX campaigns_claimable"
            ),
            ("SELECT * FROM campaigns WHERE app = 1 AND id < x'00' ORDER BY id DESC LIMIT 9", "INDEX campaigns_by_app"),
            ("SELECT * FROM streams WHERE app = 1 AND id = 'a'", "INDEX sqlite_autoindex_streams_1"),
            (
                "SELECT * FROM stream_chunks WHERE stream = 1 AND end_line > 3 ORDER BY end_line LIMIT 1",
                "INDEX sqlite_autoindex_stream_chunks_1"
            ),
            (
                "SELECT * FROM settled_notifications WHERE settled_at < 9 ORDER BY settled_at, notification LIMIT 9",
                "PRIMARY KEY (settled_at<?)"
            ),
            (
                """
                SELECT batches.content FROM notifications
                CROSS JOIN batches ON batches.notification = notifications.id WHERE notifications.app = 1
                """, "INDEX batches_by_notification (notification=?)"
            ),
            (
                "DELETE FROM settled_notifications WHERE app = 1 AND settled_at >= 7",
                "PRIMARY KEY (settled_at>?)"
            ),
            ("SELECT 1 FROM notifications WHERE app = 1", "INDEX notifications_by_app (app=?)"),
        ]
        try await withTemporaryStore { store, _ in
            for (sql, index) in expected {
                let plan = try await store.queryPlan(sql)
                #expect(plan.contains { $0.contains(index) }, "\(sql): \(plan)")
                #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(sql): \(plan)")
            }
            // The kinds come from a queue of their own, one step of the index for each.
            let kinds = try await store.queryPlan(SQLStatement.openKinds.text(for: .sqlite).replacing("$1", with: "0"))
            #expect(kinds.contains { $0.contains("batches_open (lane=? AND kind>?)") }, "\(kinds)")
            let scans = kinds.filter { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }
            #expect(Set(scans).isSubset(of: ["SCAN CONSTANT ROW", "SCAN open"]), "\(kinds)")
        }
    }

    @Test("batches of a kind for which there is no room stand in nobody's way")
    func waitingKind() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            for _ in 0..<300 { try await store.accept(StoreFixtures.plan()) }
            let kind = try StoreFixtures.plan().batches[0].kind
            let other = AppID(unchecked: "com.example.other")
            try await store.createApp(App(id: other, createdAt: StoreFixtures.now))
            let plan = try StoreFixtures.plan(app: other, now: StoreFixtures.now.addingTimeInterval(10))
            try await store.accept(plan)
            let claimed = try await store.claim(
                lane: .urgent,
                room: ClaimLimits(total: 10, perKind: 10, kinds: [kind: 0]),
                worker: "worker",
                leaseDuration: .seconds(60),
                now: StoreFixtures.now
            )
            #expect(claimed.batches.map(\.batch.id) == [plan.batches[0].id])
        }
    }
}

extension SQLiteStore {
    fileprivate func queryPlan(_ sql: String) async throws -> [String] {
        try await self.read { database in
            let explanation = "EXPLAIN QUERY PLAN \(sql)"
            return try database.rows(explanation).map { try StoredRow($0).string("detail") }
        }
    }
}
