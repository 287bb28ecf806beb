// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import PostgresStore
@testable import SQLStore

@Suite("Look-ups in PostgreSQL", .timeLimit(.minutes(5)))
struct LookUpTests {
    /// Executes look-ups at the same time, all of which arrive while another one waits for a lock.
    private static func results(
        of statements: [SQL],
        in store: PostgresStore,
        _ database: PostgresDatabaseInTest
    ) async throws -> [Result<[Int64], any Error>] {
        let blocked = """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        let intruder = SQLSession(url: database.url)
        try await intruder.execute("BEGIN; LOCK TABLE apus.apps")
        let first = Task { try await store.app(StoreSamples.app) }
        try await waitUntil { try await !database.execute(blocked).isEmpty }
        let others = statements.map { statement in
            Task { try await store.sql.lookUp(statement) { try $0.int64("value") } }
        }
        try await waitUntil { store.lookUps.waitingCount == statements.count }
        try await intruder.execute("ROLLBACK")
        #expect(try await first.value?.id == StoreSamples.app)
        var results: [Result<[Int64], any Error>] = []
        for other in others { results.append(await other.result) }
        return results
    }

    @Test("that arrive during another one share the next round trip, and each gets its own rows")
    func together() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            // Statements that are sent together are in one transaction.
            let time: SQL = "SELECT CAST(extract(epoch FROM now()) * 1000000 AS bigint) AS value"
            let statements = (0..<5).map { "SELECT CAST(\(Int64($0)) AS bigint) AS value" as SQL } + [time, time]
            let values = try await Self.results(of: statements, in: store, database).map { try $0.get() }
            #expect(values.prefix(5) == [[0], [1], [2], [3], [4]])
            #expect(values[5] == values[6])
        }
    }

    @Test("fail alone")
    func failure() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let statements: [SQL] = [
                "SELECT CAST(1 AS bigint) AS value",
                "SELECT CAST(1 / (SELECT count(*) FROM channels) AS bigint) AS value",
                "SELECT CAST(2 AS bigint) AS value",
            ]
            let results = try await Self.results(of: statements, in: store, database)
            #expect(try results[0].get() == [1])
            #expect(throws: StoreError.self) { try results[1].get() }
            #expect(try results[2].get() == [2])
        }
    }
}
