// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
public import PushStore

/// Devices have no index on the times of the rules: every registration would change it. So a pass reads all of them, part
/// by part.
extension RetentionStore where Self: SQLBacked {
    public func pruneDevices(
        _ rule: DeviceRetention,
        after position: DevicePosition?
    ) async throws -> PrunedPart<DevicePosition> {
        guard let condition = rule.condition else { return PrunedPart(count: 0, next: nil) }
        let start = position ?? DevicePosition(app: 0, number: 0)
        let (end, last) = try await self.sql.read { reader in
            let isAfter = SQL.isDevice(after: start, in: reader.dialect)
            let end = try reader.run(
                """
                SELECT app, number FROM devices WHERE \(isAfter) ORDER BY \(SQL.deviceOrder)
                LIMIT 1 OFFSET \(PruningStep.rowsRead - 1)
                """
            )
            let found = try reader.run(
                """
                SELECT app, number FROM (
                    SELECT app, number, seen_at, status, status_since, container FROM devices WHERE \(isAfter)
                    ORDER BY \(SQL.deviceOrder) LIMIT \(PruningStep.rowsRead)
                ) AS part
                WHERE \(condition) ORDER BY \(SQL.deviceOrder) LIMIT \(PruningStep.rowsRemoved)
                """
            )
            let last = try found.rows.map(DevicePosition.init(stored:))
            let isFull = last.count == PruningStep.rowsRemoved
            let next = isFull ? last.last : try end.rows.first.map(DevicePosition.init(stored:))
            return (next, last.last)
        }
        guard let last else { return PrunedPart(count: 0, next: end) }
        let count = try await self.sql.write(in: .bulk) { transaction in
            // They may have registered since they were read.
            let rows = try transaction.rows(
                """
                SELECT app, number, installation FROM devices
                WHERE \(SQL.isDevice(after: start, in: transaction.dialect))
                    AND NOT \(SQL.isDevice(after: last, in: transaction.dialect)) AND \(condition)
                ORDER BY \(SQL.deviceOrder)\(lock: " FOR UPDATE SKIP LOCKED")
                """
            ).map { (app: try $0.int64("app"), number: try $0.int64("number"), id: try $0.string("installation")) }
            let old = try SQLRows(
                "old",
                rows,
                ["app": { .integer($0.app) }, "number": { .integer($0.number) }, "installation": { .text($0.id) }]
            )
            try transaction.run(
                """
                DELETE FROM push_to_start_tokens\(" USING ", old) WHERE push_to_start_tokens.app = \(old["app"])
                    AND push_to_start_tokens.installation = \(old["installation"])
                """
            )
            try transaction.run(
                """
                DELETE FROM devices\(" USING ", old)
                WHERE devices.app = \(old["app"]) AND devices.number = \(old["number"])
                """
            )
            return rows.count
        }
        return PrunedPart(count: count, next: end)
    }

    public func pruneStartTokens(
        issuedBefore time: Date,
        after position: StartTokenPosition?
    ) async throws -> PrunedPart<StartTokenPosition> {
        let start = position ?? StartTokenPosition(app: 0, type: "", installation: "")
        let isAfter: SQL = """
            (app, attributes_type, installation) > (\(start.app), \(start.type), \(start.installation))
            """
        let isOrphan: SQL = """
            issued_at < \(time) AND NOT EXISTS (
                SELECT 1 FROM devices WHERE devices.app = tokens.app AND devices.installation = tokens.installation
            )
            """
        let (end, orphans) = try await self.sql.read { reader in
            let end = try reader.run(
                """
                SELECT app, attributes_type, installation FROM push_to_start_tokens WHERE \(isAfter)
                ORDER BY app, attributes_type, installation LIMIT 1 OFFSET \(PruningStep.rowsRead - 1)
                """
            )
            let found = try reader.run(
                """
                SELECT app, attributes_type, installation FROM (
                    SELECT app, attributes_type, installation, issued_at FROM push_to_start_tokens WHERE \(isAfter)
                    ORDER BY app, attributes_type, installation LIMIT \(PruningStep.rowsRead)
                ) AS tokens
                WHERE \(isOrphan) ORDER BY app, attributes_type, installation LIMIT \(PruningStep.rowsRemoved)
                """
            )
            let orphans = try found.rows.map(StartTokenPosition.init(stored:))
            let isFull = orphans.count == PruningStep.rowsRemoved
            let next = isFull ? orphans.last : try end.rows.first.map(StartTokenPosition.init(stored:))
            return (next, orphans)
        }
        guard !orphans.isEmpty else { return PrunedPart(count: 0, next: end) }
        let count = try await self.sql.write(in: .bulk) { transaction in
            let old = try SQLRows(
                "old",
                orphans,
                [
                    "app": { .integer($0.app) }, "attributes_type": { .text($0.type) },
                    "installation": { .text($0.installation) },
                ]
            )
            return try transaction.run(
                """
                DELETE FROM push_to_start_tokens AS tokens\(" USING ", old)
                WHERE tokens.app = \(old["app"]) AND tokens.attributes_type = \(old["attributes_type"])
                    AND tokens.installation = \(old["installation"]) AND \(isOrphan)
                """
            ).changes
        }
        return PrunedPart(count: count, next: end)
    }
}

private enum PruningStep {
    static let rowsRead = 10_000
    static let rowsRemoved = 1000
}

extension DeviceRetention {
    /// The condition of the devices that are removed; `nil` if there are none.
    ///
    /// A platform endpoint of a container registers once and is never seen again.
    fileprivate var condition: SQL? {
        var rules: [SQL] = []
        if let inactiveSince { rules.append("seen_at < \(inactiveSince)") }
        if let invalidSince { rules.append("(status = 2 AND status_since < \(invalidSince))") }
        return rules.isEmpty ? nil : "container = '' AND (\(SQL(rules, separator: " OR ")))"
    }
}

extension SQL {
    fileprivate static let deviceOrder: SQL = "\(sqlite: "number", postgres: "app, number")"

    /// SQLite has the app in the number.
    fileprivate static func isDevice(after position: DevicePosition, in dialect: SQLDialect) -> SQL {
        switch dialect {
        case .sqlite: "(number > \(position.number))"
        case .postgres: "((app, number) > (\(position.app), \(position.number)))"
        }
    }
}

extension DevicePosition {
    fileprivate init(stored row: StoredRow) throws {
        self.init(app: try row.int64("app"), number: try row.int64("number"))
    }
}

extension StartTokenPosition {
    fileprivate init(stored row: StoredRow) throws {
        self.init(
            app: try row.int64("app"),
            type: try row.string("attributes_type"),
            installation: try row.string("installation")
        )
    }
}
