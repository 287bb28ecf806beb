// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import StoreTesting
import Testing

@Suite("A job that is damaged", .timeLimit(.minutes(5)))
struct DamagedJobTests {
    @Test("harms no other", arguments: DamagedJobCheck.all)
    func damaged(check: DamagedJobCheck) async throws {
        try await withTemporaryStore { store, path in
            let intruder = try Intruder(path: path)
            try await check.run(on: store) { sql in try await intruder.execute(sql.replacing("@", with: "")) }
        }
    }
}
