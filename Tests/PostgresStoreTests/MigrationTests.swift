// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("PostgreSQL migrations", .timeLimit(.minutes(20)))
struct MigrationTests {
    /// A migration as a later version appends it.
    private static let later = """
        ALTER TABLE apps ADD COLUMN contact text;
        UPDATE apps SET contact = 'unknown'
        """

    private let schema = Schema(name: "apus", place: "a test")

    /// The schema and its tables and indexes.
    private static let names = """
        SELECT nspname::text FROM pg_namespace WHERE nspname = 'apus' UNION ALL
        (SELECT relname::text FROM pg_class WHERE relnamespace::regnamespace::text = 'apus' ORDER BY relname)
        """

    @Test("the first open creates the tables, and the second one writes nothing")
    func opening() async throws {
        try await TestPostgresDatabase.withDatabase { database in
            let connection = try PostgresConnection.inTest(database.url)
            let missing = #expect(throws: StoreError.self) { try self.schema.check(connection) }
            #expect(missing?.code == .notFound)
            try self.schema.migrate(connection)
            try self.schema.check(connection)
            let query = "SELECT version || ' of ' || xmin FROM apus.store_schema"
            let created = try await database.execute(query)
            #expect(created.first?.hasPrefix("\(Schema.migrations.count) of ") == true)
            try self.schema.migrate(connection)
            #expect(try await database.execute(query) == created)
        }
    }

    @Test("a reader refuses an older database, a writer migrates it, and its own version refuses it then")
    func laterMigration() async throws {
        try await TestPostgresDatabase.withDatabase { database in
            let connection = try PostgresConnection.inTest(database.url)
            var later = self.schema
            later.migrations.append(Self.later)
            try self.schema.migrate(connection)
            try await database.execute(
                "INSERT INTO apus.apps (id, name, default_environment, created_at) VALUES ('a', '', 0, 0)"
            )
            let older = #expect(throws: StoreError.self) { try later.check(connection) }
            #expect(older?.code == .readOnly)
            #expect(older?.message.contains("older version") == true)
            for _ in 1...2 { try later.migrate(connection) }
            try later.check(connection)
            #expect(try await database.execute("SELECT contact FROM apus.apps") == ["unknown"])
            let newer = #expect(throws: StoreError.self) { try self.schema.migrate(connection) }
            #expect(newer?.code == .corrupt)
            #expect(newer?.message.contains("newer version") == true)
        }
    }

    @Test("a migration that fails changes nothing", arguments: [true, false])
    func failure(isNew: Bool) async throws {
        try await TestPostgresDatabase.withDatabase { database in
            let connection = try PostgresConnection.inTest(database.url)
            if !isNew { try self.schema.migrate(connection) }
            let before = try await database.execute(Self.names)
            #expect(before.isEmpty == isNew)
            var broken = self.schema
            broken.migrations.append("CREATE TABLE later (number bigint);\nDROP TABLE missing")
            #expect(throws: PostgresError.self) { try broken.migrate(connection) }
            #expect(try await database.execute(Self.names) == before)
            try self.schema.migrate(connection)
            try self.schema.check(connection)
        }
    }
}
