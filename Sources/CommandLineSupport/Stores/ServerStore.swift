// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import Logging
package import Metrics
import PostgresStore
package import PushStore
import SQLiteStore
package import ServiceLifecycle

/// The store that the configuration names: a PostgreSQL database, or the file of this machine.
package enum ServerStore {
    /// The versions of the schemas that this program migrates stores to.
    package struct SchemaVersions: Codable, Sendable {
        package let sqlite: Int
        package let postgresql: Int
    }

    package static let schema = SchemaVersions(
        sqlite: SQLiteStore.schemaVersion,
        postgresql: PostgresStore.schemaVersion
    )

    /// The location of the store to display: the data directory, or the host and name of the database without its
    /// password.
    package static func place(data: String, url: String?) -> String {
        url.map { PostgresStoreConfiguration(url: $0).place } ?? data
    }

    /// The other machine to which this process connects without verifying its certificate; `nil` if there is none.
    package static func unverifiedHost(
        url: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        url.flatMap { PostgresStoreConfiguration(url: $0).unverifiedHost(environment: environment) }
    }

    /// How long a change to the store takes at most; then it is stored, or its caller got an error.
    package static func longestChange(url: String?) -> Duration {
        url.map { PostgresStoreConfiguration(url: $0).longestChange }
            ?? SQLiteStoreConfiguration(path: "").longestChange
    }

    /// The environment of a server process that opens the database at `url`; empty for SQLite.
    package static func environment(url: String?) -> [String: String] { url.map { ["APUS_STORE_URL": $0] } ?? [:] }

    /// Opens the store, passes it to `body` and closes it; creates the data directory if it does not exist.
    ///
    /// `url` is the connection string of a PostgreSQL database, to which it opens 1 or more `connections`. `body` also
    /// receives the services that the store needs.
    ///
    /// - Throws: ``CommandError`` with the code of the store, and what `body` throws.
    package static func open<Value: Sendable>(
        data: String,
        url: String?,
        connections: Int = 8,
        logger: Logger = Logger(label: "apus.store"),
        metrics: any MetricsFactory = MetricsSystem.factory,
        _ body: (any PushStore, [any Service]) async throws -> Value
    ) async throws -> Value {
        guard let url else {
            return try await LocalStore.open(data, logger: logger, metrics: metrics) { try await body($0, []) }
        }
        try DataDirectory.prepare(data, logger: logger)
        var configuration = PostgresStoreConfiguration(url: url)
        configuration.connections = connections
        do {
            return try await withPostgresStore(configuration: configuration, logger: logger, metrics: metrics) {
                store in
                try await body(store, [store])
            }
        } catch let error as StoreError {
            throw CommandError(error)
        }
    }

    /// Opens an existing store for reading, hands it to `body` and closes it; creates and migrates nothing.
    ///
    /// `url` is the connection string of a PostgreSQL database.
    ///
    /// - Returns: what `body` returns; `nil` if there is no store yet.
    /// - Throws: ``CommandError`` with the store's code, `.store_readOnly` if an older version wrote the store; and
    ///   what `body` throws.
    package static func read<Value: Sendable>(
        data: String,
        url: String?,
        logger: Logger,
        _ body: (any PushStore) async throws -> Value
    ) async throws -> Value? {
        let path = LocalStore.path(in: data)
        do {
            guard let url else {
                guard FileManager.default.fileExists(atPath: path) else {
                    guard FileManager.default.fileExists(atPath: data),
                        !FileManager.default.isReadableFile(atPath: data)
                    else { return nil }
                    throw CommandError(
                        "store_unreadable",
                        "\(data) cannot be read by this user. Run the command as the user of the server, or as root."
                    )
                }
                var configuration = SQLiteStoreConfiguration(path: path)
                configuration.readers = 1
                configuration.isReadOnly = true
                return try await withSQLiteStore(configuration: configuration, logger: logger) { try await body($0) }
            }
            var configuration = PostgresStoreConfiguration(url: url)
            configuration.connections = 1
            configuration.isReadOnly = true
            return try await withPostgresStore(configuration: configuration, logger: logger) { try await body($0) }
        } catch let error as StoreError where error.code == .notFound {
            return nil
        } catch let error as StoreError {
            throw CommandError(error, path: url == nil ? path : nil)
        }
    }
}

extension CommandError {
    /// A failure of a store; its message names the file at `path` if the store is one.
    fileprivate init(_ error: StoreError, path: String? = nil) {
        let place = path.flatMap { error.message.contains($0) ? nil : "\($0): " } ?? ""
        self.init("store_\(error.code.rawValue)", place + error.message, cause: error)
    }
}

/// The store of this machine in a data directory.
package enum LocalStore {
    package static func path(in directory: String) -> String { "\(directory)/apus.db" }

    /// Opens the store of a directory, passes it to `body` and closes it; creates directory and store if they do not
    /// exist.
    ///
    /// Only their owner can use them: it removes the permissions of other users from existing ones.
    ///
    /// - Throws: ``CommandError`` with the code of the store, and what `body` throws.
    static func open<Value: Sendable>(
        _ directory: String,
        logger: Logger = Logger(label: "apus.store"),
        metrics: any MetricsFactory = MetricsSystem.factory,
        _ body: (SQLiteStore) async throws -> Value
    ) async throws -> Value {
        try DataDirectory.prepare(directory, logger: logger)
        let configuration = SQLiteStoreConfiguration(path: self.path(in: directory))
        // SQLite creates the other files of the database with the permissions of this one.
        PrivateFile.reserve(configuration.path)
        do {
            return try await withSQLiteStore(
                configuration: configuration,
                logger: logger,
                metrics: metrics,
                body
            )
        } catch let error as StoreError {
            throw CommandError(error, path: configuration.path)
        }
    }
}
