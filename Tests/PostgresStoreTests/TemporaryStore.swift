// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Logging
import PostgresStore
import Synchronization

/// A database with the store's tables, of which the databases of tests are copies.
private actor Template {
    static let shared = Template()

    private var name: Task<String, any Error>?

    /// The name of the database, which is made at the first call.
    func database() async throws -> String {
        if let name { return try await name.value }
        // Unstructured, since all tests wait for the one that came first.
        let task = Task {
            let database = try await PostgresDatabaseInTest.make(on: .shared)
            try await withPostgresStore(configuration: .test(database.url), logger: .silent) { _ in }
            return database.name
        }
        self.name = task
        return try await task.value
    }
}

/// An empty store in a database of its own.
func withTemporaryStore<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PostgresStore, PostgresDatabaseInTest) async throws -> Value
) async throws -> Value {
    let template = try await Template.shared.database()
    return try await PostgresDatabaseInTest.withDatabase(template: template) { database in
        try await withPostgresStore(configuration: .test(database.url), logger: .silent) { store in
            try await body(store, database)
        }
    }
}

extension PostgresStoreConfiguration {
    /// What suits a loaded machine: nothing fails because it took long.
    static func test(_ url: String, connections: Int = 4) -> PostgresStoreConfiguration {
        PostgresStoreConfiguration(
            url: url,
            connections: connections,
            connectTimeout: .seconds(60),
            poolTimeout: .seconds(120),
            lockTimeout: .seconds(60),
            requestTimeout: .seconds(120)
        )
    }
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
