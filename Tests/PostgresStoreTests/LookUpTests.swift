// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushStore
import StoreTesting
import Testing

@testable import PostgresStore
@testable import SQLStore

@Suite("Look-ups in PostgreSQL", .timeLimit(.minutes(20)))
struct LookUpTests {
    /// Executes look-ups at the same time, all of which arrive while another one is executed.
    private static func results(
        of statements: [SQL],
        in store: PostgresStore,
        _ database: TestPostgresDatabase
    ) async throws -> [Result<Int64?, any Error>] {
        // A lock would not do: a group does not wait long for one.
        try await database.execute(
            """
            CREATE TABLE apus.gate ();
            CREATE FUNCTION apus.pass() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
                WHILE NOT EXISTS (SELECT FROM apus.gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
                RETURN 7;
            END $$
            """
        )
        func lookUp(_ statement: SQL) -> Task<Int64?, any Error> {
            Task { try await store.sql.first(statement) { try $0.int64("value") } }
        }
        let first = lookUp("SELECT apus.pass() AS value")
        let isExecuted = """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND state = 'active' AND query LIKE '%apus.pass()%'
            """
        try await waitUntil { try await !database.execute(isExecuted).isEmpty }
        let others = statements.map(lookUp)
        try await waitUntil { store.lookUps.waitingCount == statements.count }
        try await database.execute("INSERT INTO apus.gate DEFAULT VALUES")
        #expect(try await first.value == 7)
        var results: [Result<Int64?, any Error>] = []
        for other in others { results.append(await other.result) }
        return results
    }

    @Test("that arrive during another one share the next round trip, and each gets its own rows")
    func together() async throws {
        try await withTemporaryStore { store, database in
            // Statements that are sent together are in one transaction.
            let time: SQL = "SELECT CAST(extract(epoch FROM now()) * 1000000 AS bigint) AS value"
            let statements = (0..<5).map { "SELECT CAST(\(Int64($0)) AS bigint) AS value" as SQL } + [time, time]
            let values = try await Self.results(of: statements, in: store, database).map { try $0.get() }
            #expect(values.prefix(5) == [0, 1, 2, 3, 4])
            #expect(values[5] == values[6])
        }
    }

    @Test("fail alone, whatever the error of the statement", arguments: ["22012", "57014"])
    func failure(state: String) async throws {
        try await withTemporaryStore { store, database in
            try await database.execute(
                """
                CREATE FUNCTION apus.refuse() RETURNS bigint LANGUAGE plpgsql
                AS $$ BEGIN RAISE SQLSTATE '\(state)'; END $$
                """
            )
            let statements: [SQL] = [
                "SELECT CAST(1 AS bigint) AS value", "SELECT apus.refuse() AS value",
                "SELECT CAST(2 AS bigint) AS value",
            ]
            let results = try await Self.results(of: statements, in: store, database)
            #expect(try results[0].get() == 1)
            #expect(throws: StoreError.self) { try results[1].get() }
            #expect(try results[2].get() == 2)
        }
    }
}
