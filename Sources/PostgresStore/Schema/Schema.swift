// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLStore

/// The schema with the store's tables, whose version is in `store_schema`.
struct Schema: Sendable {
    static let migrations = SQLSchema.migrations(for: .postgres)

    /// The advisory lock of a migration, so that processes that start at once migrate one after the other: the letters
    /// `Apus`.
    private static let lock: Int64 = 0x4170_7573

    /// The name of the schema, a valid identifier.
    let name: String

    /// The database, for messages.
    let place: String

    var migrations = Self.migrations

    /// Runs the missing migrations, all in one transaction; writes nothing if none is missing.
    func migrate(_ connection: PostgresConnection) throws {
        guard try self.version(connection) ?? 0 < self.migrations.count else { return }
        try connection.transaction { connection in
            // Another process may migrate first, and it may take long in a large database.
            try connection.queue("SET LOCAL lock_timeout = 0")
            try connection.queue("SET LOCAL statement_timeout = 0")
            try connection.queue("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)])
            try connection.receive()
            // Another process may have migrated while this one waited for the lock.
            let version = try self.version(connection)
            if version == nil {
                let query = "SELECT 1 FROM pg_namespace WHERE nspname = $1"
                let found = try connection.row(text: query, [.text(self.name)])
                if found == nil { try connection.queue("CREATE SCHEMA \"\(self.name)\"") }
                try connection.queue(
                    "CREATE TABLE store_schema (program text NOT NULL PRIMARY KEY, version integer NOT NULL)"
                )
                try connection.queue("INSERT INTO store_schema (program, version) VALUES ('apus', 0)")
                try connection.receive()
            }
            for migration in self.migrations.dropFirst(version ?? 0) {
                for statement in migration.split(separator: ";\n") { try connection.queue(String(statement)) }
            }
            try connection.queue("UPDATE store_schema SET version = $1", [.number(self.migrations.count)])
        }
    }

    func check(_ connection: PostgresConnection) throws {
        guard try self.version(connection, isCurrent: true) == nil else { return }
        throw StoreError(
            code: .notFound,
            message: "\(self.description) has no tables. The first start of a server creates them."
        )
    }

    /// The version of the tables; `nil` if there are none.
    private func version(_ connection: PostgresConnection, isCurrent: Bool = false) throws -> Int? {
        let tables = try connection.rows(
            text: """
                SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                """,
            [.text(self.name)]
        ).map { try $0.string("name") }
        if tables.isEmpty { return nil }
        let query = "SELECT version FROM store_schema WHERE program = 'apus'"
        let row = tables.contains("store_schema") ? try connection.row(text: query) : nil
        guard let version = try row?.number("version") else {
            throw StoreError(
                code: .corrupt,
                message: "\(self.description) holds the tables of another program. Name another schema for the store."
            )
        }
        try SQLSchema.check(version, migrations: self.migrations.count, isCurrent: isCurrent, place: self.description)
        return version
    }

    private var description: String { "The schema \(self.name) of \(self.place)" }
}

extension PostgresStore {
    /// The version of the schema to which this program migrates databases.
    package static var schemaVersion: Int { Schema.migrations.count }
}
