// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PostgresStore
import PushStore
import ServiceLifecycle

/// The store that the configuration names: a PostgreSQL database, or the file of this machine.
enum ServerStore {
    /// Where the store is, for people: the data directory, or the host and name of the database, never its password.
    static func place(data: String, url: String?) -> String {
        url.map { PostgresStoreConfiguration(url: $0).place } ?? data
    }

    /// Opens the store, hands it to `body` and closes it; makes the data directory when it is new.
    ///
    /// - Parameters:
    ///   - data: the data directory.
    ///   - url: the connection string of a PostgreSQL database, or `nil`.
    ///   - connections: how many connections to that are kept, 1 or more.
    ///   - logger: told of damage that is worked around.
    ///   - body: gets the store, and the services that it needs beside it.
    /// - Returns: what `body` returns.
    /// - Throws: ``CommandFailure`` with the store's code, and what `body` throws.
    static func open<Value: Sendable>(
        data: String,
        url: String?,
        connections: Int = 8,
        logger: Logger = Logger(label: "apus.store"),
        _ body: (any PushStore, [any Service]) async throws -> Value
    ) async throws -> Value {
        guard let url else { return try await LocalStore.open(data, logger: logger) { try await body($0, []) } }
        try LocalStore.createDirectory(data)
        let configuration = PostgresStoreConfiguration(url: url, connections: connections)
        do {
            return try await withPostgresStore(configuration: configuration, logger: logger) { store in
                try await body(store, [store])
            }
        } catch let error as StoreError {
            throw CommandFailure("store_\(error.code.rawValue)", error.message, cause: error)
        }
    }
}
