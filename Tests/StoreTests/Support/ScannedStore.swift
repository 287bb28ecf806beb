// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import StoreTesting

/// The stores of the audience tests. Some scan two devices per statement; the results must be equal.
enum ScannedStore: String, Sendable, CaseIterable {
    case sqlite
    case sqliteTwoByTwo
    case postgres
    case postgresTwoByTwo
}

/// Opens an empty store, hands it to `body`, and removes it.
func withStore(
    _ kind: ScannedStore,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (any PushStore) async throws -> Void
) async throws {
    switch kind {
    case .sqlite: try await withStore(TestStoreBackend.sqlite, body)
    case .sqliteTwoByTwo: try await withStore(TestStoreBackend.sqlite, scanWindow: 2, body)
    case .postgres: try await withStore(TestStoreBackend.postgres, body)
    case .postgresTwoByTwo: try await withStore(TestStoreBackend.postgres, scanWindow: 2, body)
    }
}
