// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
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
            """
            UPDATE interruptions SET quarantined_at = $1, reason = $2, tried_at = NULL, reported_at = NULL
            WHERE kind = $3 AND key = $4
            """,
            binding: [
                .integer(now.millisecondsSince1970), .text(QuarantinedItem.Reason.interrupted.rawValue),
                .text(kind.rawValue), .text(key),
            ]
        )
        try self.removeOldest()
    }

    /// The list is bounded, because corrupt tables can have any number of rows.
    private func removeOldest() throws {
        try self.change(
            """
            DELETE FROM interruptions
            WHERE number <= (SELECT max(number) FROM interruptions) - \(QuarantinedItem.maximumCount)
            """,
            binding: []
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
        return try Page(
            overfull: rows,
            in: "interruptions",
            limit: limit,
            cursor: { try $0.int64("number") }
        ) { try QuarantinedItem(stored: $0) }
    }

    package func quarantinedItem(_ number: Int64) throws -> QuarantinedItem? {
        try self.rows("\(Self.columns) AND interruptions.number = $1", binding: [.integer(number)]).first
            .map(QuarantinedItem.init(stored:))
    }

    package func unreportedItems(limit: Int) throws -> [QuarantinedItem] {
        try self.rows(
            "\(Self.columns) AND reported_at IS NULL ORDER BY interruptions.number LIMIT $1",
            binding: [.integer(Int64(limit))]
        ).mapReadable(in: "interruptions") { try QuarantinedItem(stored: $0) }
    }

    /// See ``QuarantineStore/markReported(_:now:)``.
    package func markReported(_ number: Int64, now: Date) throws -> Bool {
        let row = try self.rows(
            """
            UPDATE interruptions SET reported_at = $1
            WHERE number = $2 AND reported_at IS NULL AND quarantined_at IS NOT NULL RETURNING kind, key
            """,
            binding: [.integer(now.millisecondsSince1970), .integer(number)]
        ).first
        guard let row else { return false }
        // The reporter has paused it, so that it continues when it is enabled.
        if try row.string("kind") == WorkKind.webhook.rawValue, let table = LeaseTable.of(.webhook) {
            try self.reschedule(row.string("key"), in: table, from: LeaseTable.never, now: now)
        }
        return true
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
        if let table = LeaseTable.of(item.kind), item.kind != .batch, item.kind != .jobRun,
            let value = table.value(of: key)
        {
            switch item.reason {
            case .interrupted: try self.reschedule(key, in: table, from: LeaseTable.never, now: now)
            case .unreadable:
                try self.change(table.release, binding: [.integer(now.millisecondsSince1970), value])
            }
        }
        changes.append(.missed)
        return item
    }

    /// See ``QuarantineStore/removeQuarantinedItem(_:now:)``.
    package func removeQuarantinedItem(_ number: Int64, now: Date) throws -> QuarantinedItem? {
        guard let (item, key) = try self.takeQuarantined(number) else { return nil }
        guard let table = LeaseTable.of(item.kind), let value = table.value(of: key) else { return item }
        switch item.kind {
        case .webhook: try self.reschedule(key, in: table, from: LeaseTable.never, now: now)
        case .endpointEvent: try self.change(table.removal, binding: [value])
        case .topicDelivery:
            let row = try self.rows("SELECT message FROM topic_deliveries WHERE number = $1", binding: [value]).first
            try self.change(table.removal, binding: [value])
            if let row, let message = APNsID(stored: try row.blob("message")) {
                try self.forgetIfDelivered(message)
            }
        case .batch, .campaign, .rollout, .jobRun, .activity: break
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
