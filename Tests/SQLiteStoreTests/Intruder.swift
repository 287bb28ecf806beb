// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SQLite

/// Another process that uses the database of a store, as far as SQLite can tell.
struct Intruder {
    private let queue: DatabaseQueue

    init(path: String) throws {
        self.queue = DatabaseQueue(path: path)
    }

    /// Runs statements outside of any transaction but their own.
    func execute(_ sql: String) async throws {
        try await self.queue.perform { try $0.execute(sql) }
    }

    /// The number of rows of a table.
    func count(_ table: String) async throws -> Int {
        Int(try await self.queue.perform { try $0.value("SELECT count(*) FROM \(table)")?.integer ?? 0 })
    }
}
