// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension QuarantineStore where Self: SQLBacked {
    public func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<QuarantinedItem, Int64> {
        try await self.sql.page(
            """
            \(SQL.quarantined) AND interruptions.number < \(cursor ?? Int64.max)
                AND (\(app) IS NULL OR apps.id = \(app)) AND (\(kind?.rawValue) IS NULL OR kind = \(kind?.rawValue))
            ORDER BY interruptions.number DESC
            """,
            in: "interruptions",
            limit: limit,
            cursor: { try $0.int64("number") }
        ) { try QuarantinedItem(stored: $0) }
    }

    public func unreportedItems(limit: Int) async throws -> [QuarantinedItem] {
        try await self.sql.list(
            """
            \(SQL.quarantined) AND reported_at IS NULL
            ORDER BY interruptions.number LIMIT \(PageLimit.clamp(limit))
            """,
            in: "interruptions"
        ) { try QuarantinedItem(stored: $0) }
    }

    public func markReported(_ number: Int64, now: Date) async throws -> Bool {
        try await self.sql.write { transaction in
            let row = try transaction.first(
                """
                UPDATE interruptions SET reported_at = \(now)
                WHERE number = \(number) AND reported_at IS NULL AND quarantined_at IS NOT NULL RETURNING kind, key
                """
            )
            guard let row else { return false }
            // The reporter has paused it, so that it continues when it is enabled.
            if try row.string("kind") == WorkKind.webhook.rawValue, let table = LeaseTable.of(.webhook) {
                try transaction.reschedule(row.string("key"), in: table, from: LeaseTable.never, now: now)
            }
            return true
        }
    }

    public func quarantinedItem(_ number: Int64) async throws -> QuarantinedItem? {
        try await self.sql.read { try $0.quarantinedItem(number) }
    }

    public func repeatQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem? {
        try await self.sql.write { transaction in
            guard let (item, key) = try transaction.takeQuarantined(number) else { return nil }
            if item.kind == .activity, let activity = Int64(key) {
                try transaction.run(
                    """
                    UPDATE \(SQL.activityTimes) SET due_at = \(now)
                    WHERE \(SQL.dueNumber) = \(activity) AND due_at > \(now)
                    """
                )
            }
            // A batch and a run have ended.
            if let table = LeaseTable.of(item.kind), item.kind != .batch, item.kind != .jobRun,
                let value = table.value(of: key)
            {
                switch item.reason {
                case .interrupted: try transaction.reschedule(key, in: table, from: LeaseTable.never, now: now)
                case .unreadable: try transaction.run(table.release(value, at: now.millisecondsSince1970))
                }
            }
            transaction.signal(.missed)
            try transaction.audit(.repeated, item)
            return item
        }
    }

    public func removeQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem? {
        try await self.sql.write { transaction in
            guard let (item, key) = try transaction.takeQuarantined(number) else { return nil }
            try transaction.audit(deleted: item)
            guard let table = LeaseTable.of(item.kind), let value = table.value(of: key) else { return item }
            switch item.kind {
            case .webhook: try transaction.reschedule(key, in: table, from: LeaseTable.never, now: now)
            case .endpointEvent: try transaction.run("DELETE FROM endpoint_events WHERE number = \(value)")
            case .topicDelivery:
                let row = try transaction.first(
                    "DELETE FROM topic_deliveries WHERE number = \(value) RETURNING message"
                )
                if let row, let message = APNsID(stored: try row.blob("message")) {
                    try transaction.removeIfDelivered(message)
                }
            case .batch, .campaign, .rollout, .jobRun, .activity: break
            }
            return item
        }
    }
}

extension SQLExecutor {
    /// Lists an item that a claim found; `app` is the number of its app.
    package func list(
        _ kind: WorkKind,
        _ key: String,
        app: Int64?,
        as reason: QuarantinedItem.Reason,
        now: Date
    ) throws {
        try self.run(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            VALUES (\(kind.rawValue), \(key), \(key), \(app), 0, \(now), \(now), \(reason.rawValue))
            ON CONFLICT (kind, key) DO UPDATE SET reason = excluded.reason, reported_at = NULL,
                quarantined_at = coalesce(interruptions.quarantined_at, excluded.quarantined_at)
            """
        )
        try self.removeOldestInterruptions()
    }

    /// Lists an item that was interrupted too often.
    func quarantine(_ kind: WorkKind, key: String, now: Date) throws {
        try self.run(
            """
            UPDATE interruptions SET quarantined_at = \(now), tried_at = NULL, reported_at = NULL,
                reason = \(QuarantinedItem.Reason.interrupted.rawValue)
            WHERE kind = \(kind.rawValue) AND key = \(key)
            """
        )
        try self.removeOldestInterruptions()
    }

    /// The list is bounded, because corrupt tables can have any number of rows.
    func removeOldestInterruptions() throws {
        try self.run(
            """
            DELETE FROM interruptions
            WHERE number <= (SELECT max(number) FROM interruptions) - \(QuarantinedItem.maximumCount)
            """
        )
    }

    fileprivate func quarantinedItem(_ number: Int64) throws -> QuarantinedItem? {
        try self.first("\(SQL.quarantined) AND interruptions.number = \(number)").map(QuarantinedItem.init(stored:))
    }

    fileprivate func takeQuarantined(_ number: Int64) throws -> (item: QuarantinedItem, key: String)? {
        guard let item = try self.quarantinedItem(number) else { return nil }
        let row = try self.first("DELETE FROM interruptions WHERE number = \(number) RETURNING key")
        return try row.map { (item, try $0.string("key")) }
    }
}

extension SQL {
    fileprivate static let quarantined: SQL = """
        SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
        FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL
        """
}

extension QuarantinedItem {
    fileprivate static let maximumCount = 10_000

    fileprivate init(stored row: StoredRow) throws {
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
