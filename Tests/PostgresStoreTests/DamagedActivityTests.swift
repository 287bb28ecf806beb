// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PostgresStore
import StoreTesting
import Testing

@Suite("A Live Activity in PostgreSQL that is damaged", .timeLimit(.minutes(5)))
struct DamagedActivityTests {
    @Test("harms no other", arguments: DamagedActivityCheck.all)
    func damaged(check: DamagedActivityCheck) async throws {
        try await withTemporaryStore { store, database in
            try await check.run(on: store) { sql in
                let own = sql.replacing("@BAD", with: #"'\x5b'"#).replacing("@GOOD", with: #"'\x7b7d'"#)
                    .replacing("@", with: "apus.")
                try await database.execute(own)
            }
        }
    }
}
