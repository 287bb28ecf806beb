// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore
import SQLite

extension SQLiteStore: StoreHealth {
    /// Writes the first page of the database anew, which holds the number of the schema; see `StoreHealth`.
    public func checkWritable() async throws {
        try await self.write { database in
            let version = try database.value("PRAGMA user_version")?.integer ?? 0
            try database.execute("PRAGMA user_version = \(version)")
        }
    }
}
