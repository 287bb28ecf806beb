// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import StoreTesting

@testable import PostgresStore

/// Opens a store in a database of its own, hands both to `body`, and removes the database.
func withTemporaryStore<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PostgresStore, TestPostgresDatabase) async throws -> Value
) async throws -> Value {
    try await TestPostgresDatabase.withStoreDatabase { database in
        try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
            try await body(store, database)
        }
    }
}

extension PostgresConnection {
    /// Opens a connection without a store.
    static func inTest(_ url: String, schema: String = "apus") throws -> PostgresConnection {
        var configuration = PostgresStoreConfiguration.inTest(url)
        configuration.schema = schema
        return try self.open(Session(configuration, logger: .silent))
    }
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
