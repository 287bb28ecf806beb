// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLite

/// The tables of the store, and how databases of older versions come to have them.
enum Schema {
    /// Marks a database as this program's: the letters `Apus`, in SQLite's `application_id`.
    static let applicationID: Int64 = 0x4170_7573

    /// Every migration in its order; its place, from 1, is SQLite's `user_version` once it has run.
    ///
    /// A migration never changes once a version with it was released: add another one.
    static let migrations: [String] = [
        SchemaMigration.foundation, SchemaMigration.campaigns, SchemaMigration.requests, SchemaMigration.resending,
        SchemaMigration.events, SchemaMigration.retention, SchemaMigration.owners,
        SchemaMigration.activities, SchemaMigration.jobs, SchemaMigration.activityTypes,
        SchemaMigration.channels, SchemaMigration.activityBudgets, SchemaMigration.activityRollouts,
        SchemaMigration.topics, SchemaMigration.platforms, SchemaMigration.topicQueues, SchemaMigration.pauses,
        SchemaMigration.timelineChanges, SchemaMigration.endpointEvents, SchemaMigration.endpointFailures,
        SchemaMigration.resendParts, SchemaMigration.formerVersions, SchemaMigration.deviceNumbers,
        SchemaMigration.keyUses, SchemaMigration.subscriptionUsers, SchemaMigration.interruptions,
        SchemaMigration.workInterruptions,
    ]

    /// Runs the migrations that the database lacks, all in one transaction.
    static func migrate(_ database: Database, path: String) throws {
        guard try Self.version(database, path: path) < Self.migrations.count else { return }
        try database.inTransaction(.immediate) {
            // Another process may have migrated it while this one waited for the lock.
            for migration in Self.migrations.dropFirst(try Self.version(database, path: path)) {
                try database.execute(migration)
            }
            try database.execute("PRAGMA application_id = \(Self.applicationID)")
            try database.execute("PRAGMA user_version = \(Self.migrations.count)")
        }
    }

    /// Makes sure that the database has exactly the tables that this version knows.
    static func check(_ database: Database, path: String) throws {
        let version = try Self.version(database, path: path)
        guard version == Self.migrations.count else {
            throw StoreError(
                code: .readOnly,
                message: "\(path) was written by an older version (schema \(version), this one needs "
                    + "\(Self.migrations.count)). Open it once for writing to bring it up to date."
            )
        }
    }

    private static func version(_ database: Database, path: String) throws -> Int {
        let version = Int(try database.value("PRAGMA user_version")?.integer ?? 0)
        let owner = try database.value("PRAGMA application_id")?.integer ?? 0
        let isEmpty = try database.value("SELECT 1 FROM sqlite_master LIMIT 1") == nil
        guard owner == Self.applicationID || (isEmpty && version == 0 && owner == 0) else {
            throw StoreError(
                code: .corrupt,
                message: "\(path) is the SQLite database of another program. Name another file for the store."
            )
        }
        guard version >= 0 else {
            throw StoreError(
                code: .corrupt,
                message: "\(path) is corrupt: its schema version is \(version), and 0 is the lowest. Restore a backup."
            )
        }
        guard version <= Self.migrations.count else {
            throw StoreError(
                code: .corrupt,
                message: "\(path) was written by a newer version (schema \(version), this one knows "
                    + "\(Self.migrations.count)). Run that version, or restore a backup from before the upgrade."
            )
        }
        return version
    }
}

extension SQLiteStore {
    /// The version of the schema to which this program migrates databases.
    package static var schemaVersion: Int { Schema.migrations.count }
}
