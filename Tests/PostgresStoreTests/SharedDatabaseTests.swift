// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("Processes that share a PostgreSQL database", .timeLimit(.minutes(20)))
struct SharedDatabaseTests {
    @Test("stores that claim at the same time never get the same batch, and get all of them")
    func claims() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plans = try (0..<200).map { _ in try StoreFixtures.plan() }
            for plan in plans { try await store.accept(plan) }
            let claimed = try await withThrowingTaskGroup(of: [BatchID].self) { group in
                for number in 0..<3 {
                    group.addTask {
                        try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                            var mine: [BatchID] = []
                            while true {
                                let batches = try await other.claim(
                                    limit: 7,
                                    by: WorkerID(unchecked: "worker-\(number)")
                                )
                                if batches.isEmpty { return mine }
                                mine += batches.map(\.batch.id)
                            }
                        }
                    }
                }
                return try await group.reduce(into: [BatchID]()) { $0 += $1 }
            }
            #expect(claimed.count == plans.count)
            #expect(Set(claimed) == Set(plans.map(\.batches[0].id)))
        }
    }

    @Test("the last two batches, settled at the same moment, settle the notification exactly once")
    func lastBatches() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                for _ in 0..<10 {
                    let plan = try StoreFixtures.plan(targets: 10_001)
                    try await store.accept(plan)
                    let claimed = try await store.claim()
                    try #require(claimed.count == 2)
                    async let first = store.settle(
                        Settlement(of: claimed[0], range: 0..<10_000, failures: []),
                        now: StoreFixtures.now
                    )
                    async let second = other.settle(
                        Settlement(of: claimed[1], range: 0..<1, failures: []),
                        now: StoreFixtures.now
                    )
                    let receipts = try await [first, second]
                    #expect(receipts.count { $0.notificationSettled } == 1)
                }
            }
        }
    }

    @Test("a process that is suspended within a transaction loses the transaction with its locks")
    func suspended() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            configuration.requestTimeout = .milliseconds(300)
            let suspended = try PostgresConnection.open(.init(configuration, logger: .silent))
            configuration.requestTimeout = .seconds(600)
            configuration.lockTimeout = .seconds(60)
            let other = try PostgresConnection.open(.init(configuration, logger: .silent))
            suspended.deadline = .now + .seconds(600)
            other.deadline = .now + .seconds(600)
            #expect(throws: PostgresError.self) {
                try suspended.transaction { transaction in
                    #expect(try transaction.rows(text: "SELECT id FROM apps FOR UPDATE").count == 1)
                    // It waits for the lock until the server ends the other session.
                    #expect(try other.rows(text: "SELECT id FROM apps FOR UPDATE").count == 1)
                    _ = try transaction.rows(text: "SELECT 1")
                }
            }
            #expect(suspended.isBroken)
        }
    }

    @Test("an app that is deleted while a slice is settled leaves nothing behind")
    func deletedBesideSettlement() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan(targets: 4))
            // As far as a settlement comes before its commit.
            let settlement = SQLSession(url: database.url)
            try await settlement.execute(
                """
                BEGIN; SELECT id FROM apus.batches FOR UPDATE;
                INSERT INTO apus.batch_failures (batch, position, kind, name) SELECT id, 0, 2, 'timeout' FROM apus.batches;
                INSERT INTO apus.batch_counts (batch, kind, name, count) SELECT id, 2, 'timeout', 1 FROM apus.batches
                """
            )
            async let deleted = store.deleteApp(StoreFixtures.app)
            var waiting: [String] = []
            while waiting.isEmpty {
                waiting = try await database.execute(
                    """
                    SELECT pid FROM pg_stat_activity WHERE datname = current_database()
                        AND application_name = 'apus' AND wait_event_type = 'Lock'
                    """
                )
            }
            try await settlement.execute("COMMIT")
            #expect(try await deleted)
            for table in ["batches", "batch_failures", "batch_counts", "batch_contents"] {
                #expect(try await database.execute("SELECT count(*) FROM apus.\(table)") == ["0"], "\(table)")
            }
        }
    }

    @Test("a worker that paused beyond its lease cannot settle what another one took over")
    func pausedWorker() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 4)
            try await store.accept(plan)
            let paused = try #require(try await store.claim(by: "paused").first)
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                let later = StoreFixtures.now.addingTimeInterval(61)
                let taken = try #require(try await other.claim(by: "other", now: later).first)
                let late = try await storeError {
                    try await store.settle(Settlement(of: paused, range: 0..<2, failures: []), now: later)
                }
                #expect(late?.code == .leaseLost)
                #expect(late?.isTransient == false)
                _ = try await other.settle(Settlement(of: taken, range: 0..<4, failures: []), now: later)
            }
            #expect(try await store.notification(plan.notification.id)?.counts == OutcomeCounts(delivered: 4))
        }
    }

    @Test("what one store does wakes another one, and a lost connection is told as missed")
    func signals() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                var heard = other.changes().makeAsyncIterator()
                var own = store.changes().makeAsyncIterator()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await store.run() }
                    group.addTask { try await other.run() }
                    #expect(await heard.next() == .missed)
                    #expect(await own.next() == .missed)
                    let plan = try StoreFixtures.plan()
                    try await store.accept(plan)
                    #expect(await heard.next() == .batchReady(.urgent))
                    #expect(await heard.next() == .eventsAppended(StoreFixtures.app))
                    let claimed = try #require(try await store.claim().first)
                    _ = try await store.settle(
                        Settlement(of: claimed, range: 0..<1, failures: []),
                        now: StoreFixtures.now
                    )
                    #expect(await heard.next() == .batchAdvanced(plan.batches[0].id))
                    #expect(await heard.next() == .notificationSettled(plan.notification.id))
                    #expect(await heard.next() == .eventsAppended(StoreFixtures.app))
                    try await store.createWebhook(StoreFixtures.webhook())
                    #expect(await heard.next() == .webhooksChanged)
                    // One's own changes are heard once, at once, and not again from the database.
                    #expect(await own.next() == .batchReady(.urgent))
                    #expect(await own.next() == .eventsAppended(StoreFixtures.app))
                    #expect(await own.next() == .batchAdvanced(plan.batches[0].id))
                    #expect(await own.next() == .notificationSettled(plan.notification.id))
                    #expect(await own.next() == .eventsAppended(StoreFixtures.app))
                    #expect(await own.next() == .webhooksChanged)
                    try await database.execute(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND application_name = 'apus'
                        """
                    )
                    #expect(await heard.next() == .missed)
                    #expect(await own.next() == .missed)
                    try await store.accept(StoreFixtures.plan())
                    #expect(await heard.next() == .batchReady(.urgent))
                    group.cancelAll()
                }
            }
        }
    }

    @Test("a token that two stores register at once ends with one of them, and neither call fails")
    func registrations() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, place) in [store, other].enumerated() {
                        group.addTask {
                            for round in 0..<20 {
                                let registrations = try (0..<50).map { index in
                                    let token = number == 0 ? index : 49 - index
                                    return try StoreFixtures.registration(100 * number + index, token: token)
                                }
                                _ = try await place.register(
                                    registrations,
                                    now: StoreFixtures.now.addingTimeInterval(Double(round))
                                )
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let page = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 1000)
            #expect(page.elements.count == 50)
            #expect(Set(page.elements.map(\.token)).count == 50)
        }
    }

    @Test("processes that open an empty database at once make its tables once")
    func migrations() async throws {
        try await TestPostgresDatabase.withDatabase { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
                            try await store.checkWritable()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try await database.execute("SELECT version FROM apus.store_schema") == ["\(Schema.migrations.count)"]
            )
        }
    }
}
