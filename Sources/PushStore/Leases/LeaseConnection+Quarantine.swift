// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel

extension LeaseConnection {
    private static var columns: String {
        """
        SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
        FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL
        """
    }

    /// Lists an item that was interrupted too often.
    func quarantine(_ kind: WorkKind, key: String, now: Date) throws {
        try self.change(
            "UPDATE interruptions SET quarantined_at = $1, reason = $2, tried_at = NULL WHERE kind = $3 AND key = $4",
            binding: [
                .integer(now.millisecondsSince1970), .text(QuarantinedItem.Reason.interrupted.rawValue),
                .text(kind.rawValue), .text(key),
            ]
        )
    }

    /// Lists an item that a claim has set aside, unless very many are listed.
    package func addQuarantined(
        _ kind: WorkKind,
        key: String,
        item: String,
        app: String?,
        as reason: QuarantinedItem.Reason,
        now: Date
    ) throws {
        try self.change(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            SELECT $1, $2, $3, (SELECT number FROM apps WHERE id = $4), 0, $5, $5, $6 WHERE (SELECT count(*) FROM interruptions) < \(QuarantinedItem.maximumCount)
            ON CONFLICT (kind, key) DO UPDATE SET quarantined_at = $5, reason = $6
            """,
            binding: [
                .text(kind.rawValue), .text(key), .text(item), .text(app), .integer(now.millisecondsSince1970),
                .text(reason.rawValue),
            ]
        )
    }

    /// Lists an activity that cannot be read.
    package func addUnreadable(activity number: Int64, now: Date) throws {
        let row = try self.rows(
            "SELECT activities.id, apps.id AS app FROM activities JOIN apps ON apps.number = app WHERE activities.number = $1",
            binding: [.integer(number)]
        ).first
        guard let row else { return }
        try self.addQuarantined(
            .activity,
            key: String(number),
            item: try row.string("id"),
            app: try row.text("app"),
            as: .unreadable,
            now: now
        )
    }

    package func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) throws -> Page<QuarantinedItem, Int64> {
        // SQLite numbers values by their first place in the text.
        var values: [LeaseValue] = [.integer(cursor ?? .max)]
        var sql = "\(Self.columns) AND interruptions.number < $1"
        if let app {
            values.append(.text(app.rawValue))
            sql += " AND apps.id = $\(values.count)"
        }
        if let kind {
            values.append(.text(kind.rawValue))
            sql += " AND kind = $\(values.count)"
        }
        values.append(.integer(Int64(limit) + 1))
        sql += " ORDER BY interruptions.number DESC LIMIT $\(values.count)"
        let rows = try self.rows(sql, binding: values)
        let items = try rows.compactMap { row in
            try row.readable(in: "interruptions") { try QuarantinedItem(stored: $0) }
        }
        return Page(overfull: items, limit: limit, cursor: \.number)
    }

    package func quarantinedItem(_ number: Int64) throws -> QuarantinedItem? {
        try self.rows("\(Self.columns) AND interruptions.number = $1", binding: [.integer(number)]).first
            .map(QuarantinedItem.init(stored:))
    }

    package func unreportedItems(limit: Int) throws -> [QuarantinedItem] {
        try self.rows(
            "\(Self.columns) AND reported_at IS NULL ORDER BY interruptions.number LIMIT $1",
            binding: [.integer(Int64(limit))]
        ).map(QuarantinedItem.init(stored:))
    }

    package func markReported(_ numbers: [Int64], now: Date) throws {
        for number in numbers {
            let row = try self.rows(
                "UPDATE interruptions SET reported_at = $1 WHERE number = $2 RETURNING kind, key",
                binding: [.integer(now.millisecondsSince1970), .integer(number)]
            ).first
            // It is paused by now, and goes on when somebody activates it.
            guard let row, try row.string("kind") == WorkKind.webhook.rawValue, let table = LeaseTable.of(.webhook)
            else { continue }
            try self.unpark(row.string("key"), in: table, now: now)
        }
    }

    private func unpark(_ key: String, in table: LeaseTable, now: Date) throws {
        guard let value = table.value(of: key) else { return }
        try self.change(table.unpark, binding: [.integer(now.millisecondsSince1970), value])
    }

    /// See ``QuarantineStore/repeatQuarantinedItem(_:now:)``.
    package func repeatQuarantinedItem(
        _ number: Int64,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> QuarantinedItem? {
        guard let (item, key) = try self.takeQuarantined(number) else { return nil }
        if item.kind == .activity, let number = Int64(key) {
            try self.change(self.activityRelease, binding: [.integer(now.millisecondsSince1970), .integer(number)])
        }
        // A batch and a run have ended.
        if let table = LeaseTable.of(item.kind), item.kind != .batch, item.kind != .jobRun {
            try self.unpark(key, in: table, now: now)
        }
        changes.append(.missed)
        return item
    }

    /// See ``QuarantineStore/removeQuarantinedItem(_:now:)``.
    package func removeQuarantinedItem(_ number: Int64) throws -> QuarantinedItem? {
        guard let (item, key) = try self.takeQuarantined(number) else { return nil }
        if item.kind == .topicDelivery || item.kind == .endpointEvent, let table = LeaseTable.of(item.kind),
            let value = table.value(of: key)
        {
            try self.change(table.removal, binding: [value])
        }
        return item
    }

    /// Removes an entry of the list.
    private func takeQuarantined(_ number: Int64) throws -> (item: QuarantinedItem, key: String)? {
        guard let item = try self.quarantinedItem(number) else { return nil }
        let row = try self.rows(
            "DELETE FROM interruptions WHERE number = $1 RETURNING key",
            binding: [.integer(number)]
        )
        return try row.first.map { (item, try $0.string("key")) }
    }
}

extension QuarantinedItem {
    /// How many interruptions and quarantined items are listed at most.
    package static let maximumCount = 10_000

    /// Reads the columns `number`, `kind`, `item`, `app_id`, `reason` and `quarantined_at`.
    fileprivate init(stored row: some StoredRow) throws {
        guard let kind = WorkKind(rawValue: try row.string("kind")),
            let reason = Reason(rawValue: try row.string("reason"))
        else { throw StoreError.damaged("interruption") }
        self.init(
            number: try row.int64("number"),
            kind: kind,
            item: try row.string("item"),
            app: try row.text("app_id").flatMap { AppID(rawValue: $0) },
            reason: reason,
            time: try row.date("quarantined_at")
        )
    }
}
