// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: AppStore {
    public func createApp(_ app: App) async throws {
        try await self.write { database in
            guard try database.number(of: app.id) == nil else {
                throw StoreError.taken("an app '\(app.id)'")
            }
            try database.insert(app)
        }
    }

    public func app(_ id: AppID) async throws -> App? {
        try await self.read { database in
            try database.row("SELECT * FROM apps WHERE id = ?", [id.rawValue]).map(App.init(stored:))
        }
    }

    public func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            let rows = try database.rows(
                "SELECT * FROM apps WHERE id > ? ORDER BY id LIMIT ?",
                [cursor?.rawValue ?? "", limit + 1]
            )
            return try Page(overfull: rows, in: "apps", limit: limit, cursor: { AppID(unchecked: try $0.string("id")) })
            {
                try App(stored: $0)
            }
        }
    }

    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: id) else { return false }
            let contents = try database.rows("SELECT content FROM batches WHERE app = ?", [number])
            try database.run("DELETE FROM settled_notifications WHERE app = ?", [number])
            try database.removeShares(ofApp: number)
            try database.run("DELETE FROM apps WHERE number = ?", [number])
            for row in contents {
                try database.run("DELETE FROM batch_contents WHERE number = ?", [try row.int64("content")])
            }
            return true
        }
    }
}

extension Database {
    /// Adds an app that is not there.
    func insert(_ app: App) throws {
        try self.run(
            "INSERT INTO apps (id, name, default_environment, created_at) VALUES (?, ?, ?, ?)",
            [app.id.rawValue, app.name, app.defaultEnvironment.stored, app.createdAt.millisecondsSince1970]
        )
    }
}
