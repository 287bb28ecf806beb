// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import PushStore

/// Where the store of a measurement is: in a data directory, or in a PostgreSQL database.
struct BenchStore: Sendable {
    /// The data directory; it holds the master key in either case.
    let data: String

    /// The connection string of a database, or `nil`.
    let url: String?

    /// Opens the store, hands it to `body` and closes it.
    func open<Value: Sendable>(_ body: (any PushStore) async throws -> Value) async throws -> Value {
        try await ServerStore.open(data: self.data, url: self.url) { store, _ in try await body(store) }
    }

    /// Seals device tokens and contents with a new master key in the data directory.
    func seal() async throws {
        try MasterKeyFile.make(in: self.data)
        let child = try ChildProcess(
            executable: ApusExecutable.path(),
            arguments: ["store", "seal", "--servers-stopped", "--data", self.data],
            environment: ServerStore.environment(url: self.url),
            log: "\(self.data)-seal.log"
        )
        while await child.nextLine() != nil {}
        guard await child.exitStatus() == 0 else {
            throw CommandError("not_sealed", "The store was not sealed:\n\(child.logEnd)")
        }
    }
}

/// A store that is filled once and copied for every round.
struct StoreTemplate: Sendable {
    let store: BenchStore

    /// The server that has the store as a database, and the database's name.
    private let database: (server: DatabaseServer, name: String)?

    /// Creates a store and fills it.
    ///
    /// With `url`, the store is a database of that PostgreSQL server. Otherwise the store is a file below
    /// `directory`.
    /// - Throws: ``CommandError``, and the errors of `fill`.
    static func make(
        _ name: String,
        in directory: String,
        url: String? = nil,
        _ fill: (any PushStore) async throws -> Void
    ) async throws -> StoreTemplate {
        let server = url.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
        // An earlier measurement on the same server has left its own.
        try await server?.drop(name)
        try await server?.create(name)
        // The template is only copied, so its rows need not be flushed to the disk one by one.
        try await server?.fillFast(name)
        let store = BenchStore(data: "\(directory)/\(name)", url: server?.url(of: name))
        try await store.open { store in try await fill(store) }
        return StoreTemplate(store: store, database: server.map { ($0, name) })
    }

    /// Copies the store, passes the copy to `body`, and removes it.
    ///
    /// The copy is flushed to the disk first, so that the flush does not delay the measurement.
    /// `path` is the data directory of the copy. It must not exist yet.
    /// - Throws: ``CommandError``, and the errors of `body`.
    func withCopy<Value: Sendable>(
        at path: String,
        _ body: (BenchStore) async throws -> Value
    ) async throws -> Value {
        try FileManager.default.copyItem(atPath: self.store.data, toPath: path)
        guard let (server, template) = self.database else {
            sync()
            return try await body(BenchStore(data: path, url: nil))
        }
        let name = "round-\(UUID().uuidString.lowercased())"
        try await server.create(name, from: template)
        sync()
        return try await perform {
            try await body(BenchStore(data: path, url: server.url(of: name)))
        } finally: {
            try await server.drop(name)
        }
    }
}

/// A PostgreSQL server in which measurements create databases, with `psql`.
struct DatabaseServer: Sendable {
    /// The connection string of a database of it.
    let url: String

    /// The log of `psql`.
    let log: String

    /// The connection string of another database of the server.
    func url(of database: String) -> String {
        let parts = self.url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let query = parts.count > 1 ? "?\(parts[1])" : ""
        return place.joined(separator: "/") + "/\(database)\(query)"
    }

    /// Creates a database, as a copy of a template without connections.
    func create(_ database: String, from template: String? = nil) async throws {
        try await self.run("CREATE DATABASE \"\(database)\"" + (template.map { " TEMPLATE \"\($0)\"" } ?? ""))
    }

    /// Disables synchronous commits for new connections to a database; copies of it do not inherit this.
    func fillFast(_ database: String) async throws {
        try await self.run("ALTER DATABASE \"\(database)\" SET synchronous_commit = off")
    }

    /// Removes a database and closes its connections.
    func drop(_ database: String) async throws {
        try await self.run("DROP DATABASE IF EXISTS \"\(database)\" WITH (FORCE)")
    }

    func cutConnections(to database: String) async throws {
        try await self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
    }

    /// Runs statements or commands of `psql`, each in its own transaction.
    ///
    /// - Returns: the values of the returned rows, one line per row.
    @discardableResult
    func run(_ commands: String...) async throws -> [String] {
        let arguments = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]
        return try await ExternalTool.run(
            ExternalTool.path("psql"),
            arguments + ["--dbname=\(self.url)"] + commands.map { "--command=\($0)" },
            log: self.log
        )
    }
}
