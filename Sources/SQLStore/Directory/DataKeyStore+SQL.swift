// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension DataKeyStore where Self: SQLBacked {
    public func dataKey() async throws -> StoredDataKey? {
        try await self.sql.first("\(SQL.dataKey)") { try StoredDataKey(stored: $0) }
    }

    public func addDataKey(_ sealed: [UInt8], ifEmpty: Bool) async throws -> StoredDataKey? {
        let rows = SealableTable.allCases.map { table -> SQL in
            "NOT EXISTS (SELECT 1 FROM \(table.layout.name) WHERE \(table.layout.hasContents))"
        }
        let isEmpty = SQL(rows, separator: " AND ")
        return try await self.sql.write { transaction in
            try transaction.run(
                """
                INSERT INTO data_key (number, is_complete, sealed)
                SELECT 1, CASE WHEN \(isEmpty) THEN 1 ELSE 0 END, \(sealed) WHERE \(ifEmpty ? isEmpty : "TRUE")
                ON CONFLICT DO NOTHING
                """
            )
            return try transaction.first(SQL.dataKey).map { try StoredDataKey(stored: $0) }
        }
    }

    public func use(_ key: DataKey) { self.sql.driver.dataKeys.hold(key) }

    public func sealRows(
        in table: SealableTable,
        progress: @Sendable (SealingProgress) -> Void
    ) async throws -> SealingProgress {
        var total = SealingProgress()
        var cursor: [SQLValue]?
        repeat {
            let after = cursor
            let step = try await self.sql.write(in: .bulk) { try $0.sealRows(in: table.layout, after: after) }
            total.read += step.read
            total.sealed += step.sealed
            cursor = step.last
            if step.read > 0 { progress(total) }
        } while cursor != nil
        return total
    }

    public func completeSealing() async throws {
        try await self.sql.run("UPDATE data_key SET is_complete = 1")
    }

    public func overwriteFormerBytes() async throws -> Bool { false }
}

extension SQL {
    fileprivate static let dataKey: SQL = "SELECT is_complete, sealed FROM data_key"
}

/// The sealed columns of a table, and its primary key.
private struct SealableLayout {
    enum Key {
        case number(StaticString)
        case text(StaticString)
        case id(StaticString)

        var name: StaticString {
            switch self {
            case .number(let name), .text(let name), .id(let name): name
            }
        }

        func value(of row: StoredRow) throws -> SQLValue {
            switch self {
            case .number(let name): .integer(try row.int64("\(name)"))
            case .text(let name): .text(try row.string("\(name)"))
            case .id(let name): .id(try row.apnsID("\(name)"))
            }
        }
    }

    enum Column {
        case token(StaticString)
        case bytes(StaticString)
        case text(StaticString)

        var name: StaticString {
            switch self {
            case .token(let name), .bytes(let name), .text(let name): name
            }
        }

        /// The value to store instead, and whether it was in plain form.
        ///
        /// A damaged value stays as it is.
        func value(of row: StoredRow) throws -> (value: SQLValue, isPlain: Bool) {
            let name = "\(self.name)"
            switch self {
            case .token, .bytes:
                guard let stored = try row.bytes(name) else { return (.bytes(nil), false) }
                guard !StoredContent.isSealed(stored), let clear = try? StoredContent.open(stored, under: nil) else {
                    return (.bytes(stored), false)
                }
                if case .token = self { return (.token(clear), true) }
                return (.content(clear), true)
            case .text:
                guard let stored = try row.text(name) else { return (.text(nil), false) }
                guard !StoredContent.isSealed(stored), let clear = try? StoredContent.open(stored, under: nil) else {
                    return (.text(stored), false)
                }
                return (.contentText(clear), true)
            }
        }
    }

    let name: SQL
    let keys: [Key]

    /// The primary key on PostgreSQL, if it differs.
    var postgresKeys: [Key]?
    let columns: [Column]

    /// The number of rows that one transaction reads.
    var rowsAtOnce = 500

    /// A condition: the row can have a token or a content.
    var hasContents: SQL = "TRUE"
}

extension SealableTable {
    fileprivate var layout: SealableLayout {
        let number: [SealableLayout.Key] = [.number("number")]
        return switch self {
        case .devices:
            SealableLayout(
                name: "devices",
                keys: number,
                postgresKeys: [.number("app"), .number("number")],
                columns: [.token("token")]
            )
        case .startTokens:
            SealableLayout(
                name: "push_to_start_tokens",
                keys: [.number("app"), .text("attributes_type"), .text("installation")],
                columns: [.token("token")]
            )
        case .participants:
            SealableLayout(name: "activity_participants", keys: number, columns: [.token("token")])
        case .activities:
            SealableLayout(
                name: "activities",
                keys: number,
                columns: [.bytes("content_state"), .bytes("attributes"), .text("alert"), .text("start_alert")]
            )
        case .transitions:
            SealableLayout(
                name: "activity_transitions",
                keys: [.number("activity"), .text("key")],
                columns: [.text("plan")]
            )
        case .timeline:
            SealableLayout(
                name: "activity_timeline",
                keys: [.number("activity"), .number("sequence")],
                columns: [.text("changes")]
            )
        case .campaigns:
            SealableLayout(name: "campaigns", keys: [.id("id")], columns: [.text("definition")])
        case .jobs: SealableLayout(name: "jobs", keys: number, columns: [.text("definition")])
        case .batchContents:
            // A row has up to a megabyte.
            SealableLayout(
                name: "batch_contents",
                keys: number,
                postgresKeys: [.id("batch")],
                columns: [.bytes("payload"), .bytes("targets")],
                rowsAtOnce: 20
            )
        case .idempotencyRecords:
            SealableLayout(
                name: "idempotency_records",
                keys: [.number("app"), .text("api_key"), .text("key")],
                columns: [.bytes("body")]
            )
        case .streamChunks:
            SealableLayout(
                name: "stream_chunks",
                keys: [.number("stream"), .number("end_line")],
                postgresKeys: [.number("app"), .text("stream"), .number("end_line")],
                columns: [.bytes("entries")]
            )
        case .topicMessages:
            SealableLayout(name: "topic_messages", keys: [.id("id")], columns: [.bytes("content")])
        // The states of campaigns and jobs have their messages. Those of API keys are there before the first start.
        case .auditLog:
            SealableLayout(
                name: "audit_log",
                keys: number,
                columns: [.text("state_before"), .text("state_after")],
                hasContents: "(action LIKE 'campaign.%' OR action LIKE 'job.%')"
            )
        }
    }
}

extension SQLTransaction {
    /// Seals the plain values of the next rows of a table; `last` is the key of the last row, `nil` at the end.
    fileprivate func sealRows(
        in layout: SealableLayout,
        after cursor: [SQLValue]?
    ) throws -> (read: Int, sealed: Int, last: [SQLValue]?) {
        let keys = self.dialect == .postgres ? layout.postgresKeys ?? layout.keys : layout.keys
        let names = keys.map { SQL(stringLiteral: $0.name) } + layout.columns.map { SQL(stringLiteral: $0.name) }
        let key = SQL(names.prefix(keys.count), separator: ", ")
        let condition: SQL =
            if let cursor {
                "(\(key)) > (\(SQL(cursor.map { value -> SQL in "\(value)" }, separator: ", ")))"
            } else {
                "TRUE"
            }
        let rows = try self.rows(
            """
            SELECT \(SQL(names, separator: ", ")) FROM \(layout.name) WHERE \(condition)
            ORDER BY \(key) LIMIT \(layout.rowsAtOnce)\(lock: " FOR UPDATE")
            """
        )
        var columns = names.map { _ in [SQLValue]() }
        var last: [SQLValue]?
        for row in rows {
            let place = try keys.map { try $0.value(of: row) }
            last = place
            let values = try layout.columns.map { try $0.value(of: row) }
            guard values.contains(where: \.isPlain) else { continue }
            for (column, value) in (place + values.map(\.value)).enumerated() { columns[column].append(value) }
        }
        let told = SQLRows("told", names: keys.map(\.name) + layout.columns.map(\.name), columns: columns)
        let isSame = keys.map { key -> SQL in
            "\(layout.name).\(SQL(stringLiteral: key.name)) = \(told[key.name])"
        }
        try self.run(
            """
            UPDATE \(layout.name) SET \(told.assignments(keys.count..<names.count))\(" FROM ", told)
            WHERE \(SQL(isSame, separator: " AND "))
            """
        )
        return (rows.count, told.count, rows.count < layout.rowsAtOnce ? nil : last)
    }
}
