// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// Where the store of a measurement is: in a data directory, or in a PostgreSQL database.
struct BenchStore: Sendable {
    /// The data directory; it holds the master key in either case.
    let data: String

    /// The connection string of a database, or `nil`.
    let url: String?

    /// Opens the store, hands it to `body` and closes it.
    func open<Value: Sendable>(_ body: (any PushStore) async throws -> Value) async throws -> Value {
        try await ServerStore.open(data: self.data, url: self.url) { store, _ in try await body(store) }
    }
}
