// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SQLiteStore
import StoreTesting
import Testing

@Suite("SQLite as a store", .timeLimit(.minutes(5)))
struct SQLiteConformanceTests {
    @Test("SQLite keeps the promises of a store", arguments: StoreConformance.checks)
    func conformance(check: StoreConformance.Check) async throws {
        try await withTemporaryStore { store, _ in
            try await check.run(on: store)
        }
    }
}
