// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Testing

@testable import PostgresStore
@testable import SQLStore

@Suite("Bad days of PostgreSQL", .timeLimit(.minutes(20)))
struct BadDayTests {
    @Test("connections that are cut are made again, and the next call succeeds")
    func cutConnections() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            for _ in 0..<5 {
                try await database.execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'apus'
                    """
                )
                let plan = try StoreFixtures.plan()
                try await store.accept(plan)
                #expect(try await store.notification(plan.notification.id) != nil)
            }
        }
    }

    @Test("a connection that is cut within a transaction is made again, and nothing is stored twice")
    func cutTransaction() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 2)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first)
            let intruder = SQLSession(url: database.url)
            try await intruder.execute("BEGIN; SELECT * FROM apus.batches FOR UPDATE")
            async let receipt = store.settle(
                Settlement(of: claimed, range: 0..<2, failures: []),
                now: StoreFixtures.now
            )
            // The settlement waits for the intruder's lock when its connection is cut.
            var cut: [String] = []
            while cut.isEmpty {
                cut = try await database.execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
                        AND application_name = 'apus' AND wait_event_type = 'Lock'
                    """
                )
            }
            try await intruder.execute("ROLLBACK")
            #expect(try await receipt.notificationSettled)
            #expect(try await store.notification(plan.notification.id)?.counts.delivered == 2)
        }
    }

    @Test("a server that restarts keeps what was acknowledged; calls meanwhile fail as transient")
    func restart() async throws {
        try await TestPostgresServer.withServer { server in
            try await TestPostgresDatabase.withDatabase(on: server) { database in
                try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
                    try await store.addSampleApp()
                    let before = try StoreFixtures.plan()
                    try await store.accept(before)
                    let isBack = Atomic(false)
                    async let restarted: Void = {
                        defer { isBack.store(true, ordering: .relaxed) }
                        try await server.restart()
                    }()
                    var acknowledged = [before.notification.id]
                    // Until the first call that fails while the server is away; on a busy machine no call may fall into that time.
                    while !isBack.load(ordering: .relaxed) {
                        let plan = try StoreFixtures.plan()
                        guard let error = try await storeError({ try await store.accept(plan) }) else {
                            acknowledged.append(plan.notification.id)
                            continue
                        }
                        #expect(error.code == .unavailable && error.isTransient, "\(error)")
                        break
                    }
                    try await restarted
                    let after = try StoreFixtures.plan()
                    while let error = try await storeError({ try await store.accept(after) }) {
                        // Where nobody could say what came of a commit, it may have been stored.
                        if error.code == .conflict { break }
                        #expect(error.code == .unavailable && error.isTransient, "\(error)")
                    }
                    #expect(try await store.notification(after.notification.id) != nil)
                    for id in acknowledged { #expect(try await store.notification(id) != nil) }
                    let stored = try await database.execute("SELECT count(*) FROM apus.notifications")
                    let count = acknowledged.count + 1
                    #expect(["\(count)", "\(count + 1)"].contains(stored.first), "what failed may have been stored")
                }
            }
        }
    }

    @Test("while the server is away calls fail at once as unavailable, naming it")
    func away() async throws {
        let url = "postgres://somebody:open-sesame@127.0.0.1:1/nowhere"
        let error = try await storeError {
            try await PostgresStore(configuration: PostgresStoreConfiguration(url: url), logger: .silent)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("127.0.0.1:1/nowhere") == true)
        #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains("open-sesame") == false)
    }

    @Test(
        "a connection string that is none is refused without being repeated",
        arguments: [
            "postgres://somebody:open-sesame@host:1/x?open-sesame", "password=open-sesame sesame",
            "postgres://a:open-sesame%zz@h/",
        ]
    )
    func badURL(url: String) async throws {
        let configuration = PostgresStoreConfiguration(url: url)
        let error = try await storeError { try await PostgresStore(configuration: configuration, logger: .silent) }
        #expect(error?.code == .invalid)
        let texts = "\(String(reflecting: error)) \(configuration) \(String(reflecting: configuration))"
        #expect(!texts.contains("sesame"))
    }

    @Test("a lock that somebody keeps answers 'locked', and the call works afterwards")
    func locked() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            configuration.lockTimeout = .milliseconds(20)
            try await withPostgresStore(configuration: configuration, logger: .silent) { hasty in
                let intruder = SQLSession(url: database.url)
                try await intruder.execute("BEGIN; SELECT * FROM apus.apps FOR UPDATE")
                let plan = try StoreFixtures.plan()
                let error = try await storeError { try await hasty.accept(plan) }
                #expect(error?.code == .locked)
                #expect(error?.isTransient == true)
                try await intruder.execute("ROLLBACK")
                try await hasty.accept(plan)
            }
        }
    }

    @Test("a group of calls does not wait for a lock, and a single call does")
    func lockedGroup() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            (configuration.lockTimeout, configuration.requestTimeout) = (.seconds(3600), .seconds(3600))
            try await withPostgresStore(configuration: configuration, logger: .silent) { patient in
                let plans = try [StoreFixtures.app, StoreFixtures.otherApp].map { try StoreFixtures.plan(app: $0) }
                let calls = plans.map { Acceptance($0.notification, $0.batches, nil) }
                let intruder = SQLSession(url: database.url)
                try await intruder.execute(
                    "BEGIN; SELECT * FROM apus.apps WHERE id = '\(StoreFixtures.app)' FOR UPDATE"
                )
                let error = try await storeError { try await patient.sql.accept(calls, waitsBriefly: true) }
                #expect(error?.code == .locked)
                async let waiting = patient.sql.accept([calls[0]])
                for result in try await patient.sql.accept([calls[1]]) { try result.get() }
                try await intruder.execute("ROLLBACK")
                for result in try await waiting { try result.get() }
            }
        }
    }

    @Test("a call for an app that is locked does not delay calls for other apps")
    func lockedApp() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            (configuration.lockTimeout, configuration.requestTimeout) = (.seconds(3600), .seconds(3600))
            try await withPostgresStore(configuration: configuration, logger: .silent) { patient in
                let intruder = SQLSession(url: database.url)
                try await intruder.execute(
                    "BEGIN; SELECT * FROM apus.apps WHERE id = '\(StoreFixtures.app)' FOR UPDATE"
                )
                async let waiting: Void = patient.accept(StoreFixtures.plan())
                var blocked: [String] = []
                while blocked.isEmpty {
                    blocked = try await database.execute(
                        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                    )
                }
                try await patient.accept(StoreFixtures.plan(app: StoreFixtures.otherApp))
                try await intruder.execute("ROLLBACK")
                try await waiting
            }
        }
    }

    @Test(
        "a value that a constraint or a limit refuses is an error of the call, not of the server",
        arguments: ["22003", "23502", "23514", "54000"]
    )
    func refusedValue(state: String) {
        let failure = PostgresError(kind: .statement(state: state), message: "refused")
        let error = StoreError.translating(failure, place: "a database") as? StoreError
        #expect(error?.code == .invalid)
    }

    @Test("a statement that takes too long is stopped, and the connection is good for the next call")
    func slow() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            var configuration = PostgresStoreConfiguration.inTest(database.url, connections: 1)
            configuration.requestTimeout = .milliseconds(200)
            try await withPostgresStore(configuration: configuration, logger: .silent) { hasty in
                let intruder = SQLSession(url: database.url)
                try await intruder.execute("BEGIN; SELECT * FROM apus.apps FOR UPDATE")
                let error = try await storeError { try await hasty.accept(StoreFixtures.plan()) }
                #expect(error?.code == .unavailable)
                try await intruder.execute("ROLLBACK")
                // On a loaded machine a read may take as long as that too.
                while try await storeError({ try await hasty.app(StoreFixtures.app) }) != nil {}
            }
        }
    }

    @Test("a call that finds all connections busy for too long says so")
    func busy() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            var configuration = PostgresStoreConfiguration.inTest(database.url, connections: 1)
            configuration.poolTimeout = .milliseconds(20)
            try await withPostgresStore(configuration: configuration, logger: .silent) { small in
                let intruder = SQLSession(url: database.url)
                try await intruder.execute("BEGIN; SELECT * FROM apus.apps FOR UPDATE")
                let plan = try StoreFixtures.plan()
                // It may come while a read has the connection, and has to try again then.
                async let accepted = Self.insist { try await small.accept(plan) }
                var error: StoreError?
                while error == nil { error = try await storeError { try await small.app(StoreFixtures.app) } }
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("busy") == true)
                try await intruder.execute("ROLLBACK")
                try await accepted
            }
        }
    }

    /// Tries until a connection is free.
    private static func insist(_ call: () async throws -> Void) async throws {
        while let error = try await storeError(call) { #expect(error.code == .unavailable) }
    }

    @Test("a server that takes no changes is none to connect to, unless the connection string says so")
    func readOnly() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let name = database.name
            try await database.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let refused = try await storeError {
                try await PostgresStore(configuration: .inTest(database.url), logger: .silent)
            }
            #expect(refused?.code == .unavailable)
            let url = database.url + "&target_session_attrs=any"
            try await withPostgresStore(configuration: .inTest(url, connections: 1), logger: .silent) { reader in
                #expect(try await reader.app(StoreFixtures.app) != nil)
                let probe = try await storeError { try await reader.checkWritable() }
                #expect(probe?.code == .unavailable && probe?.isTransient == true)
                #expect(probe?.message.contains("takes no changes") == true)
                // The connection that takes no changes is not kept: as after a failover the next one does.
                try await database.execute(
                    "BEGIN READ WRITE; ALTER DATABASE \(name) RESET default_transaction_read_only; COMMIT"
                )
                try await reader.checkWritable()
            }
        }
    }

    @Test("what another process has migrated meanwhile is reported as that, and not only as corruption")
    func migratedMeanwhile() async throws {
        try await withTemporaryStore { store, database in
            for change in [
                "ALTER TABLE apus.activity_due RENAME COLUMN due_at TO later_at",
                "ALTER TABLE apus.activity_due RENAME TO activity_times", "ALTER SCHEMA apus RENAME TO cookbook",
            ] {
                try await database.execute(change)
                let error = try await storeError { try await store.nextActivityTime() }
                #expect(error?.code == .corrupt, "\(change)")
                #expect(error?.message.contains("are not those of this version") == true, "\(change): \(error as Any)")
            }
        }
    }

    @Test("a schema version that is none is refused as corrupt")
    func damagedVersion() async throws {
        try await withTemporaryStore { _, database in
            try await database.execute("UPDATE apus.store_schema SET version = -1")
            let error = try await storeError {
                try await PostgresStore(configuration: .inTest(database.url), logger: .silent)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("version is -1") == true)
        }
    }

    @Test("the schema of another program is refused, and so is one of a newer version")
    func foreignSchema() async throws {
        try await withTemporaryStore { _, database in
            try await database.execute("UPDATE apus.store_schema SET version = 999")
            let newer = try await storeError {
                try await PostgresStore(configuration: .inTest(database.url), logger: .silent)
            }
            #expect(newer?.code == .corrupt)
            #expect(newer?.message.contains("newer version") == true)
            try await database.execute("CREATE SCHEMA cookbook; CREATE TABLE cookbook.recipes (name text)")
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            configuration.schema = "cookbook"
            let foreign = try await storeError {
                try await PostgresStore(configuration: configuration, logger: .silent)
            }
            #expect(foreign?.code == .corrupt)
            #expect(foreign?.message.contains("another program") == true)
        }
    }

    @Test(
        "schema names that would not be names are refused",
        arguments: ["", "Apus", "1a", "a-b", "a\"b", "pg_x", String(repeating: "a", count: 59)]
    )
    func badSchema(name: String) async throws {
        var configuration = PostgresStoreConfiguration(url: "postgres://127.0.0.1:1/x")
        configuration.schema = name
        let error = try await storeError { try await PostgresStore(configuration: configuration, logger: .silent) }
        #expect(error?.code == .invalid)
    }

    @Test("a value that PostgreSQL cannot hold is refused as invalid")
    func nulCharacter() async throws {
        try await withTemporaryStore { store, _ in
            let app = App(id: StoreFixtures.app, name: "a\u{0}b", createdAt: StoreFixtures.now)
            #expect(try await storeError { try await store.createApp(app) }?.code == .invalid)
            try await store.addSampleApp()
        }
    }

    @Test("a closed store refuses every call, and ends its subscriptions")
    func closed() async throws {
        try await withTemporaryStore { store, _ in
            var changes = store.changes().makeAsyncIterator()
            store.close()
            store.close()
            #expect(await changes.next() == nil)
            let read = try await storeError { try await store.app(StoreFixtures.app) }
            #expect(read?.code == .unavailable)
            let change = try await storeError { try await store.deleteApp(StoreFixtures.app) }
            #expect(change?.code == .unavailable)
        }
    }
}
