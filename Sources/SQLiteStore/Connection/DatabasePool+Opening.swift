// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLite

extension Checkpointer {
    /// A checkpointer of a pool; `nil` where nothing is written.
    static func open(beside pool: DatabasePool, _ configuration: SQLiteStoreConfiguration) throws -> Checkpointer? {
        guard !configuration.isReadOnly else { return nil }
        do {
            return try Checkpointer(of: pool, configuration: DatabasePool.connections(configuration))
        } catch {
            throw StoreError.translating(error, path: configuration.path)
        }
    }
}

extension DatabasePool {
    /// Opens the database of a store and brings its schema up to date.
    static func open(_ configuration: SQLiteStoreConfiguration) throws -> DatabasePool {
        do {
            let pool = try DatabasePool(path: configuration.path, configuration: Self.connections(configuration))
            guard !configuration.isReadOnly else {
                try pool.writer.performAndWait { try Schema.check($0, path: configuration.path) }
                return pool
            }
            try pool.writer.performAndWait { database in
                try database.execute("PRAGMA synchronous = \(configuration.synchronous.rawValue)")
                try Schema.migrate(database, path: configuration.path)
            }
            return pool
        } catch {
            throw StoreError.translating(error, path: configuration.path)
        }
    }

    /// How every connection to a store is set up.
    fileprivate static func connections(_ configuration: SQLiteStoreConfiguration) -> DatabaseConfiguration {
        var connections = DatabaseConfiguration()
        connections.isReadOnly = configuration.isReadOnly
        connections.busyTimeout = configuration.busyTimeout
        connections.maximumReaderCount = configuration.readers
        let pages = configuration.maximumBytes.map { max(1, $0 / 4096) }
        connections.prepare = { database in
            try AppVersionKey.add(to: database)
            try database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192")
            guard !configuration.isReadOnly else { return }
            try database.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864")
            if let pages { try database.execute("PRAGMA max_page_count = \(pages)") }
        }
        return connections
    }
}
