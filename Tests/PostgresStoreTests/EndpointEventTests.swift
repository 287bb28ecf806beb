// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import StoreTesting
import Testing

@Suite("Events of endpoints in PostgreSQL on a bad day", .timeLimit(.minutes(5)))
struct EndpointEventTests {
    @Test("harm no other", arguments: EndpointEventCheck.all)
    func badDay(check: EndpointEventCheck) async throws {
        try await withTemporaryStore { store, database in
            try await check.run(on: store) { try await database.execute($0.replacing("@", with: "apus.")) }
        }
    }
}
