// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// The tables of the store in their schema, and how databases of older versions come to have them.
struct Schema {
    /// Says in `store_schema` whose tables these are.
    static let program = "apus"

    /// Every migration in its order; its place, from 1, is the version once it has run.
    ///
    /// A migration never changes once a version with it was released: add another one. Its statements are parted by
    /// empty lines.
    static let migrations: [String] = [
        SchemaMigration.foundation, SchemaMigration.events, SchemaMigration.retention, SchemaMigration.owners,
        SchemaMigration.activities, SchemaMigration.jobs, SchemaMigration.activityTypes,
        SchemaMigration.channels, SchemaMigration.activityBudgets, SchemaMigration.activityRollouts,
        SchemaMigration.topics, SchemaMigration.platforms, SchemaMigration.topicQueues, SchemaMigration.pauses,
        SchemaMigration.timelineChanges, SchemaMigration.endpointEvents, SchemaMigration.endpointFailures,
        SchemaMigration.resendParts, SchemaMigration.dueActivities, SchemaMigration.formerVersions,
        SchemaMigration.keyUses, SchemaMigration.subscriptionUsers, SchemaMigration.workers,
        SchemaMigration.interruptions, SchemaMigration.workInterruptions,
    ]

    /// Held by whoever migrates, so that processes that start at once do it one after the other: the letters `Apus`.
    private static let lock: Int64 = 0x4170_7573

    /// The schema's name, which has been checked.
    let name: String

    /// The database, for messages.
    let place: String

    /// Runs the migrations that the database lacks, all in one transaction; writes nothing if there are none.
    func bringUpToDate(_ connection: PostgresConnection) throws {
        guard try self.version(connection) < Self.migrations.count else { return }
        try connection.transaction { connection in
            // Another process may migrate first, and it may take long in a large database.
            try connection.queue("SET LOCAL lock_timeout = 0")
            try connection.queue("SET LOCAL statement_timeout = 0")
            try connection.queue("SELECT pg_advisory_xact_lock($1)", [.integer(Self.lock)])
            try connection.receive()
            // Another process may have migrated while this one waited for the lock.
            let version = try self.version(connection)
            if version == 0 { try self.found(connection) }
            for migration in Self.migrations.dropFirst(version) {
                for statement in migration.split(separator: "\n\n") { try connection.queue(String(statement)) }
            }
            try connection.queue("UPDATE store_schema SET version = $1", [.number(Self.migrations.count)])
        }
    }

    /// Checks that the tables are exactly those of this version.
    func check(_ connection: PostgresConnection) throws {
        let version = try self.version(connection)
        guard version > 0 else {
            let message =
                "The schema \(self.name) of \(self.place) has no tables. The first start of a server creates them."
            throw StoreError(code: .notFound, message: message)
        }
        guard version == Self.migrations.count else {
            throw StoreError(
                code: .readOnly,
                message: "The schema \(self.name) of \(self.place) was written by an older version (schema \(version), "
                    + "this one needs \(Self.migrations.count)). Open it once for writing to bring it up to date."
            )
        }
    }

    /// Makes the schema and the table that says what it holds.
    private func found(_ connection: PostgresConnection) throws {
        if try !self.exists(connection) { try connection.queue("CREATE SCHEMA \"\(self.name)\"") }
        try connection.queue(
            """
            CREATE TABLE store_schema (
                program text NOT NULL PRIMARY KEY,
                version integer NOT NULL
            )
            """
        )
        try connection.queue("INSERT INTO store_schema (program, version) VALUES ($1, 0)", [.text(Self.program)])
        try connection.receive()
    }

    private func exists(_ connection: PostgresConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(self.name)]) != nil
    }

    /// The version of the tables; 0 when there are none.
    private func version(_ connection: PostgresConnection) throws -> Int {
        let tables = try connection.rows(
            """
            SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            """,
            [.text(self.name)]
        ).map { try $0.string("name") }
        if tables.isEmpty { return 0 }
        guard tables.contains("store_schema") else { throw self.foreign }
        let row = try connection.row("SELECT version FROM store_schema WHERE program = $1", [.text(Self.program)])
        guard let version = try row?.number("version") else { throw self.foreign }
        guard version >= 0 else {
            throw StoreError(
                code: .corrupt,
                message: "The schema \(self.name) of \(self.place) is corrupt: its version is \(version), and 0 is the "
                    + "lowest. Restore a backup."
            )
        }
        guard version <= Self.migrations.count else {
            throw StoreError(
                code: .corrupt,
                message: "The schema \(self.name) of \(self.place) was written by a newer version (schema \(version), "
                    + "this one knows \(Self.migrations.count)). Run that version, or restore a backup from before "
                    + "the upgrade."
            )
        }
        return version
    }

    private var foreign: StoreError {
        StoreError(
            code: .corrupt,
            message:
                "The schema \(self.name) of \(self.place) holds the tables of another program. Name another schema "
                + "for the store."
        )
    }
}

extension PostgresStore {
    /// The version of the schema to which this program migrates databases.
    package static var schemaVersion: Int { Schema.migrations.count }
}
