// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: health", .timeLimit(.minutes(20)))
struct HealthTests {
    @Test("a store that takes changes says so, and what it holds stays as it is", arguments: TestStoreBackend.allCases)
    func check(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.checkWritable()
            try await store.addSampleApp()
            for _ in 0..<3 { try await store.checkWritable() }
            let apps = try await store.apps(after: nil, limit: 10).elements.map(\.id)
            #expect(apps == [StoreFixtures.app], "the apps")
        }
    }
}
