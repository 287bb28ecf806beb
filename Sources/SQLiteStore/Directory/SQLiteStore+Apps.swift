// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: AppStore {
    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: id) else { return false }
            let contents = try database.rows("SELECT content FROM batches WHERE app = ?", [number])
            try database.run("DELETE FROM settled_notifications WHERE app = ?", [number])
            try database.removeShares(where: "app = \(number)")
            try database.run("DELETE FROM apps WHERE number = ?", [number])
            for row in contents {
                try database.run("DELETE FROM batch_contents WHERE number = ?", [try row.int64("content")])
            }
            return true
        }
    }
}
