// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB
public import PushStore

extension SQLiteStore: StoreHealth {
    /// Writes the first page of the database anew, which holds the number of the schema; see `StoreHealth`.
    public func checkWritable() async throws {
        try await self.write { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }
}
