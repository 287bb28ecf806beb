// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB

/// Another process that uses the database of a server: the process of the tests.
struct Intruder {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        // Nobody who is in his right mind writes for longer.
        configuration.busyMode = .timeout(2)
        self.queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Whether the database can be written to now, or a moment later.
    func canWrite() async -> Bool { (try? await self.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil }

    /// How many rows there are of a table, or of those of it that fit a condition.
    func count(_ rows: String) async throws -> Int {
        try await self.queue.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(rows)") ?? 0 }
    }

    /// Runs statements outside of any transaction but their own.
    func execute(_ sql: String) async throws {
        try await self.queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}
