// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLStore
import SQLite

/// The schema of a database file, whose version is SQLite's `user_version`.
struct Schema: Sendable {
    /// Marks a database as one of Apus, in SQLite's `application_id`: the letters `Apus`.
    static let applicationID: Int64 = 0x4170_7573

    static let migrations = SQLSchema.migrations(for: .sqlite)

    /// The file, for messages.
    let path: String

    var migrations = Self.migrations

    /// Runs the missing migrations, all in one transaction.
    func migrate(_ database: Database) throws {
        guard try self.version(database) < self.migrations.count else { return }
        try database.inTransaction(.immediate) {
            // Another process may have migrated it while this one waited for the lock.
            for migration in self.migrations.dropFirst(try self.version(database)) {
                try database.execute(migration)
            }
            try database.execute("PRAGMA application_id = \(Self.applicationID)")
            try database.execute("PRAGMA user_version = \(self.migrations.count)")
        }
    }

    func check(_ database: Database) throws { _ = try self.version(database, isCurrent: true) }

    private func version(_ database: Database, isCurrent: Bool = false) throws -> Int {
        // First, since another process may migrate the database between two of these statements.
        let isEmpty = try database.value("SELECT 1 FROM sqlite_master LIMIT 1") == nil
        let version = Int(try database.value("PRAGMA user_version")?.integer ?? 0)
        let owner = try database.value("PRAGMA application_id")?.integer ?? 0
        guard owner == Self.applicationID || (isEmpty && version == 0 && owner == 0) else {
            throw StoreError(
                code: .corrupt,
                message: "\(self.path) is the SQLite database of another program. Name another file for the store."
            )
        }
        try SQLSchema.check(version, migrations: self.migrations.count, isCurrent: isCurrent, place: self.path)
        return version
    }
}

extension SQLiteStore {
    /// The version of the schema to which this program migrates databases.
    package static var schemaVersion: Int { Schema.migrations.count }
}
