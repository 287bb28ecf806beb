// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import StoreTesting
import Testing

@Suite("A job in PostgreSQL that is damaged", .timeLimit(.minutes(5)))
struct DamagedJobTests {
    @Test("harms no other", arguments: DamagedJobCheck.all)
    func damaged(check: DamagedJobCheck) async throws {
        try await withTemporaryStore { store, database in
            try await check.run(on: store) { sql in try await database.execute(sql.replacing("@", with: "apus.")) }
        }
    }
}
