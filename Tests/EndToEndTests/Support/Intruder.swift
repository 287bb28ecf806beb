// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SQLite

/// Another process that uses the database of a server: the process of the tests.
struct Intruder {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = DatabaseConfiguration()
        // Nobody who is in his right mind writes for longer.
        configuration.busyTimeout = .seconds(2)
        self.queue = DatabaseQueue(path: path, configuration: configuration)
    }

    /// Whether the database can be written to now, or a moment later.
    func canWrite() async -> Bool { (try? await self.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil }

    /// How many rows there are of a table, or of those of it that fit a condition.
    func count(_ rows: String) async throws -> Int {
        Int(try await self.queue.perform { try $0.value("SELECT count(*) FROM \(rows)")?.integer ?? 0 })
    }

    /// Runs statements outside of any transaction but their own.
    func execute(_ sql: String) async throws {
        try await self.queue.perform { try $0.execute(sql) }
    }
}
