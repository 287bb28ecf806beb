// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import StoreTesting
import Testing

@Suite("A Live Activity that is damaged", .timeLimit(.minutes(5)))
struct DamagedActivityTests {
    @Test("harms no other", arguments: DamagedActivityCheck.all)
    func damaged(check: DamagedActivityCheck) async throws {
        try await withTemporaryStore { store, path in
            let intruder = try Intruder(path: path)
            try await check.run(on: store) { sql in
                let own = sql.replacing("@BAD", with: "x'5b'").replacing("@GOOD", with: "x'7b7d'")
                    .replacing("@", with: "")
                try await intruder.execute(own)
            }
        }
    }
}
