// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import StoreTesting
import Testing

@Suite("Events of endpoints on a bad day", .timeLimit(.minutes(5)))
struct EndpointEventTests {
    @Test("harm no other", arguments: EndpointEventCheck.all)
    func badDay(check: EndpointEventCheck) async throws {
        try await withTemporaryStore { store, path in
            let intruder = try Intruder(path: path)
            try await check.run(on: store) { try await intruder.execute($0.replacing("@", with: "")) }
        }
    }
}
