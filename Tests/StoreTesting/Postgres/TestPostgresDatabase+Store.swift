// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
package import PostgresStore

/// The database of which all tests' databases are copies: a store's tables, and nothing in them.
///
/// Making the tables anew for every test takes several times as long as a copy.
private actor StoreTemplate {
    static let shared = StoreTemplate()

    private var name: Task<String, any Error>?

    /// The name of the database, which is made at the first call.
    func database() async throws -> String {
        if let name { return try await name.value }
        // Unstructured, since all tests wait for the one that came first.
        let task = Task {
            let database = try await TestPostgresDatabase.make(on: try await .shared)
            let logger = Logger(label: "test.store") { _ in SwiftLogNoOpLogHandler() }
            try await withPostgresStore(configuration: .inTest(database.url), logger: logger) { _ in }
            return database.name
        }
        self.name = task
        return try await task.value
    }
}

extension TestPostgresDatabase {
    /// Makes a database with a store's tables, hands it to `body`, and removes it.
    package static func withStoreDatabase<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TestPostgresDatabase) async throws -> Value
    ) async throws -> Value {
        let template = try await StoreTemplate.shared.database()
        return try await self.withDatabase(template: template, body)
    }
}

extension PostgresStoreConfiguration {
    /// What suits a loaded machine: nothing fails because it took long.
    package static func inTest(_ url: String, connections: Int = 4) -> PostgresStoreConfiguration {
        var configuration = PostgresStoreConfiguration(url: url)
        configuration.connections = connections
        configuration.connectTimeout = .seconds(60)
        configuration.poolTimeout = .seconds(120)
        configuration.lockTimeout = .seconds(60)
        configuration.requestTimeout = .seconds(120)
        return configuration
    }
}
