// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushStore
import SQLite
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("SQLite migrations", .timeLimit(.minutes(20)))
struct MigrationTests {
    /// A migration as a later version appends it.
    private static let later = """
        ALTER TABLE apps ADD COLUMN contact TEXT;
        UPDATE apps SET contact = 'unknown';
        """

    private func withDatabase(_ body: (DatabaseQueue, Schema) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("store.sqlite").path
            let database = DatabaseQueue(path: path)
            try await body(database, Schema(path: path))
            database.close()
        }
    }

    /// The version, the owner and the tables of a database, and how often its tables were changed.
    private func state(of database: DatabaseQueue) async throws -> [DatabaseValue?] {
        try await database.perform { database in
            try [
                "PRAGMA user_version", "PRAGMA application_id", "PRAGMA schema_version",
                "SELECT group_concat(name) FROM sqlite_master",
            ].map { try database.value($0) }
        }
    }

    @Test("the first open creates the tables, and the second one changes nothing")
    func opening() async throws {
        try await self.withDatabase { database, schema in
            try await database.perform { try schema.migrate($0) }
            let created = try await self.state(of: database)
            #expect(created[0] == .integer(Int64(Schema.migrations.count)))
            try await database.perform { try schema.migrate($0) }
            #expect(try await self.state(of: database) == created)
            try await database.perform { try schema.check($0) }
        }
    }

    @Test("the columns of a primary key come first in each table without row IDs")
    func keyColumns() async throws {
        try await self.withDatabase { database, schema in
            let places = try await database.perform { database in
                try schema.migrate(database)
                return try database.value(
                    """
                    SELECT group_concat(tables.name || '.' || columns.name) FROM pragma_table_list AS tables
                    JOIN pragma_table_info(tables.name) AS columns
                    WHERE tables.wr = 1 AND columns.pk > 0 AND columns.pk <> columns.cid + 1
                    """
                )
            }
            #expect(places == nil || places == .null, "\(String(describing: places))")
        }
    }

    @Test("a reader refuses an older database, a writer migrates it, and its own version refuses it then")
    func laterMigration() async throws {
        try await self.withDatabase { database, schema in
            let later = Schema(path: schema.path, migrations: schema.migrations + [Self.later])
            try await database.perform { database in
                try schema.migrate(database)
                try database.run("INSERT INTO apps (id, name, default_environment, created_at) VALUES ('a', '', 0, 0)")
            }
            let older = try await storeError { try await database.perform { try later.check($0) } }
            #expect(older?.code == .readOnly)
            #expect(older?.message.contains("older version") == true)
            for _ in 1...2 { try await database.perform { try later.migrate($0) } }
            try await database.perform { try later.check($0) }
            let contact = try await database.perform { try $0.value("SELECT contact FROM apps") }
            #expect(contact == .text("unknown"))
            let newer = try await storeError { try await database.perform { try schema.migrate($0) } }
            #expect(newer?.code == .corrupt)
            #expect(newer?.message.contains("newer version") == true)
        }
    }

    @Test("a migration that fails changes nothing", arguments: [true, false])
    func failure(isNew: Bool) async throws {
        try await self.withDatabase { database, schema in
            if !isNew { try await database.perform { try schema.migrate($0) } }
            let before = try await self.state(of: database)
            let statements = "CREATE TABLE later (number INTEGER); DROP TABLE missing"
            let broken = Schema(path: schema.path, migrations: schema.migrations + [statements])
            await #expect(throws: DatabaseError.self) { try await database.perform { try broken.migrate($0) } }
            #expect(try await self.state(of: database) == before)
            try await database.perform { database in
                try schema.migrate(database)
                try schema.check(database)
            }
        }
    }

    @Test("processes that open a new database at the same time create its tables once")
    func concurrentOpening() async throws {
        try await withTemporaryDirectory { directory in
            let schema = Schema(path: directory.appendingPathComponent("store.sqlite").path)
            var configuration = DatabaseConfiguration()
            configuration.busyTimeout = .seconds(60)
            // To SQLite, each connection is another process.
            let databases = (1...4).map { [configuration] _ in
                DatabaseQueue(path: schema.path, configuration: configuration)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for database in databases {
                    group.addTask { try await database.perform { try schema.migrate($0) } }
                }
                try await group.waitForAll()
            }
            for database in databases {
                try await database.perform { try schema.check($0) }
                database.close()
            }
        }
    }
}
