// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite
import SQLiteStore

/// Runs a test against the API over a fresh SQLite store, with a second connection to its database.
func withAPIAndDatabase(
    _ setup: TestSetup = TestSetup(),
    _ test: @Sendable @escaping (TestAPI, DatabaseQueue) async throws -> Void
) async throws {
    try await withTemporaryStore { store, path in
        let admin = try await TestAPI.addKey(to: store, scopes: [.admin])
        try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(2)
        let database = DatabaseQueue(path: path, configuration: configuration)
        defer { database.close() }
        try await withAPI(setup, over: setup.wrap(store), admin: admin) { try await test($0, database) }
    }
}

extension DatabaseQueue {
    /// Quarantines an item of work, which need not exist.
    ///
    /// - Returns: the number of the entry.
    @discardableResult
    func quarantine(
        _ kind: WorkKind,
        _ item: String,
        app: AppID? = TestAPI.app,
        reason: QuarantinedItem.Reason = .interrupted,
        at time: Date = TestTime.start
    ) async throws -> Int {
        let app = app.map { "(SELECT number FROM apps WHERE id = '\($0)')" } ?? "NULL"
        let milliseconds = time.millisecondsSince1970
        let sql = """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            VALUES ('\(kind.rawValue)', '\(item)', '\(item)', \(app), 3, \(milliseconds), \(milliseconds),
                '\(reason.rawValue)')
            """
        return try await self.perform { database in
            try database.execute(sql)
            return Int(try database.value("SELECT max(number) FROM interruptions")?.integer ?? 0)
        }
    }
}
