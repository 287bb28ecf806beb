// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore
import SQLStore

extension PostgresStore: AppStore {
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
            try connection.removeShares(where: "app = \(number)")
            try connection.queue("DELETE FROM subscriptions WHERE app = $1 AND device IS NOT NULL", [.integer(number)])
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
