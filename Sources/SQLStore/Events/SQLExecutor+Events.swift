// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension SQLExecutor {
    /// Appends events to the feed of an app.
    ///
    /// PostgreSQL draws their numbers under the lock of the feed, which it keeps until the commit. So no event becomes
    /// visible before one with a smaller number.
    func append(_ events: [EventDraft], app: Int64) throws {
        switch self.dialect {
        case .sqlite:
            for event in events {
                let data = try event.storedData
                let values: [SQLValue] = [.integer(app), .time(event.time), .text(event.kind.rawValue), .text(data)]
                try self.run(SQLStatement.insertEvent(values))
            }
        case .postgres:
            let entries = try SQLRows(
                "entry",
                events,
                [
                    "time": { .time($0.time) }, "kind": { .text($0.kind.rawValue) },
                    "data": { .text(try $0.storedData) },
                ]
            )
            try self.run(
                """
                WITH feed AS MATERIALIZED (SELECT app FROM event_feeds WHERE app = \(app) FOR UPDATE)
                INSERT INTO events (app, number, time, kind, data)
                SELECT feed.app, nextval('event_numbers'), new.time, new.kind, new.data
                FROM feed CROSS JOIN (
                    SELECT entry.*\(" FROM ", entries) ORDER BY \(entries["position"])
                ) AS new
                """
            )
        }
    }
}

extension SQLStatement {
    fileprivate static let insertEvent = SQLStatement(
        "INSERT INTO events (app, time, kind, data) VALUES ($1, $2, $3, $4)"
    )
}
