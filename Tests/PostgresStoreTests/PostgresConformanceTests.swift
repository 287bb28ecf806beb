// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import StoreTesting
import Testing

@Suite("PostgreSQL as a store", .timeLimit(.minutes(5)))
struct PostgresConformanceTests {
    @Test("PostgreSQL keeps the promises of a store", arguments: StoreConformance.checks)
    func conformance(check: StoreConformance.Check) async throws {
        try await withTemporaryStore { store, _ in
            try await check.run(on: store)
        }
    }

    @Test("audiences are the same however few devices a statement looks at", arguments: StoreConformance.audiences)
    func windows(check: StoreConformance.Check) async throws {
        try await PostgresDatabaseInTest.withStoreDatabase { database in
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            configuration.scanWindow = 2
            try await withPostgresStore(configuration: configuration, logger: .silent) { try await check.run(on: $0) }
        }
    }
}
