// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import SQLite

/// The store of a soak, and what goes wrong with it.
struct SoakStore: Sendable {
    /// Where it is.
    let place: BenchStore

    /// The server that has it as a database; `nil` for a file.
    let server: DatabaseServer?

    /// The name of the database.
    let database: String

    /// The shell command that restarts the server.
    let restartCommand: String?

    /// Makes the database, where the store is one.
    ///
    /// - Parameters:
    ///   - configuration: names the server.
    ///   - directory: where a file is put, and the logs.
    /// - Returns: the store, empty.
    /// - Throws: ``CommandFailure`` when there is no such server, or no `psql`.
    static func make(_ configuration: SoakConfiguration, in directory: String) async throws -> SoakStore {
        let server = configuration.storeURL.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
        let name = "soak-\(UUID().uuidString.lowercased())"
        try await server?.create(name)
        return SoakStore(
            place: BenchStore(data: "\(directory)/data", url: server?.url(of: name)),
            server: server,
            database: name,
            restartCommand: configuration.storeRestart
        )
    }

    /// Removes the database, where the store is one.
    func remove() async {
        try? await self.server?.drop(self.database)
    }

    /// Keeps everybody else from writing to the file for a while.
    func lock(for time: Duration) async throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(30)
        let queue = DatabaseQueue(path: LocalStore.path(in: self.place.data), configuration: configuration)
        try await queue.perform { try $0.execute("BEGIN IMMEDIATE") }
        try? await Task.sleep(for: time)
        try await queue.perform { try $0.execute("ROLLBACK") }
        queue.close()
    }

    /// Ends the database server as a crash would, and starts it again.
    func restart() async throws {
        guard let restartCommand, let server else { return }
        _ = try await Tool.run("/bin/sh", ["-c", restartCommand], log: server.log)
    }

    /// Ends every connection to the database.
    func cutConnections() async throws {
        try await self.server?.cutConnections(to: self.database)
    }
}
