// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

extension PostgresStore: AppStore {
    public func createApp(_ app: App) async throws {
        try await self.write { connection in
            let reply = try connection.queueInsert(app)
            try connection.receive()
            guard reply.changes == 1 else { throw StoreError.taken("an app '\(app.id)'") }
        }
    }

    public func app(_ id: AppID) async throws -> App? {
        try await self.read { connection in
            try connection.row("SELECT * FROM apps WHERE id = $1", [.text(id.rawValue)]).map(App.init(stored:))
        }
    }

    public func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            let rows = try connection.rows(
                "SELECT * FROM apps WHERE id > $1 ORDER BY id LIMIT $2",
                [.text(cursor?.rawValue ?? ""), .number(limit + 1)]
            )
            return try Page(overfull: rows, in: "apps", limit: limit, cursor: { AppID(unchecked: try $0.string("id")) })
            {
                try App(stored: $0)
            }
        }
    }

    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        try await self.writeLong { connection in
            // Who writes for the app holds this row: the lock waits for them, and they find no app afterwards.
            let row = try connection.row("SELECT number FROM apps WHERE id = $1 FOR UPDATE", [.text(id.rawValue)])
            guard let number = try row?.integer("number") else { return false }
            // Who removes what is old holds such a row, and takes the others behind it. One that is added after this is
            // passed over once it is old.
            try connection.queue("DELETE FROM settled_notifications WHERE app = $1", [.integer(number)])
            // Who settles a batch holds its row only, and adds to what is removed here: nobody does from here on.
            try connection.queue(
                "SELECT count(*) FROM (SELECT FROM batches WHERE app = $1 ORDER BY id FOR UPDATE) AS held",
                [.integer(number)]
            )
            for table in ["batch_failures", "batch_counts", "batch_contents"] {
                try connection.queue(
                    "DELETE FROM \(table) USING batches WHERE batches.app = $1 AND \(table).batch = batches.id",
                    [.integer(number)]
                )
            }
            try connection.removeShares(ofApp: number)
            // All lock batches before notifications, these before campaigns, and the app's row of the feeds behind
            // whatever else they change.
            for table in [
                "batches", "notifications", "campaigns", "idempotency_records", "stream_chunks", "streams", "devices",
                "webhooks", "credential_troubles", "delivery_pauses", "event_feeds", "events",
            ] {
                try connection.queue("DELETE FROM \(table) WHERE app = $1", [.integer(number)])
            }
            try connection.queue("DELETE FROM apps WHERE number = $1", [.integer(number)])
            return true
        }
    }
}

extension PostgresConnection {
    /// Queues an app's row and its feed, unless there is an app of that id.
    func queueInsert(_ app: App) throws -> PostgresReply {
        try self.queue(
            """
            WITH created AS (
                INSERT INTO apps (id, name, default_environment, created_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT DO NOTHING RETURNING number
            )
            INSERT INTO event_feeds (app, horizon) SELECT number, 0 FROM created
            """,
            [
                .text(app.id.rawValue), .text(app.name), .number(app.defaultEnvironment.stored),
                .integer(app.createdAt.millisecondsSince1970),
            ]
        )
    }
}
