// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A PostgreSQL server in which measurements make databases of their own, by `psql`.
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

    /// Makes a database, as a copy of another one that nobody is connected to.
    func create(_ database: String, from template: String? = nil) async throws {
        try await self.run("CREATE DATABASE \"\(database)\"" + (template.map { " TEMPLATE \"\($0)\"" } ?? ""))
    }

    /// Has whoever connects to a database from now on not wait for the disk; a copy of it is not told so.
    func fillFast(_ database: String) async throws {
        try await self.run("ALTER DATABASE \"\(database)\" SET synchronous_commit = off")
    }

    /// Removes a database, and whoever is connected to it.
    func drop(_ database: String) async throws {
        try await self.run("DROP DATABASE IF EXISTS \"\(database)\" WITH (FORCE)")
    }

    /// Ends all connections to a database.
    func cutConnections(to database: String) async throws {
        try await self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
    }

    private func run(_ sql: String) async throws {
        let arguments = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname=\(self.url)", "--command=\(sql)"]
        _ = try await Tool.run(Tool.path("psql"), arguments, log: self.log)
    }
}
