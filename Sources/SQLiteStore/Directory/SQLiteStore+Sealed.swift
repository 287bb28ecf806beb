// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: SealedStore {
    public func replaceSealed(_ item: SealedItem, old: [UInt8], new: [UInt8]) async throws -> Bool {
        let (table, column, id) = item.stored
        return try await self.write { database in
            let update = "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?"
            guard let id else { return try database.run(update, [new, old]) > 0 }
            return try database.run("\(update) AND id = ?", [new, old, id]) > 0
        }
    }
}
