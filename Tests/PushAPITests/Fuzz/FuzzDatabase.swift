// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Logging
import PostgresStore
import PushStore
import SQLite
import SQLiteStore
import StoreTesting

/// The database of a store, which SQL can change while no store has it open.
enum FuzzDatabase: Sendable {
    case sqlite(path: String)
    case postgres(TestPostgresDatabase)

    /// A column of a table that has rows.
    struct Column: Sendable {
        enum Kind: Sendable {
            case integer
            case text
            case blob
            case other
        }

        /// The table, as SQL names it.
        var table: String
        /// The column, as SQL names it.
        var name: String
        var kind: Kind
        /// The columns that identify a row, as SQL names them.
        var key: String
        /// The number of rows of the table.
        var rows: Int
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Makes an empty database and removes it afterwards.
    static func withDatabase(
        _ kind: TestStoreBackend,
        _ body: (FuzzDatabase) async throws -> Void
    ) async throws {
        switch kind {
        case .sqlite: try await self.withFile { try await body(.sqlite(path: $0)) }
        case .postgres: try await TestPostgresDatabase.withStoreDatabase { try await body(.postgres($0)) }
        }
    }

    /// Makes a copy and removes it afterwards; no store may have this database open.
    func withCopy(_ body: (FuzzDatabase) async throws -> Void) async throws {
        switch self {
        case .sqlite(let path):
            try await Self.withFile { copy in
                try FileManager.default.copyItem(atPath: path, toPath: copy)
                try await body(.sqlite(path: copy))
            }
        case .postgres(let database):
            // A server notices later that a client has closed its connections.
            let server = try await TestPostgresServer.shared
            let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)'"
            try await waitUntil { try await SQLSession.execute(sessions, at: server.url) == ["0"] }
            try await TestPostgresDatabase.withDatabase(template: database.name) { try await body(.postgres($0)) }
        }
    }

    /// Opens a store on the database.
    func withStore(_ body: (any PushStore) async throws -> Void) async throws {
        switch self {
        case .sqlite(let path):
            // No test cuts the power.
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
            try await withSQLiteStore(configuration: configuration, logger: Self.logger) { try await body($0) }
        case .postgres(let database):
            let configuration = PostgresStoreConfiguration.inTest(database.url)
            try await withPostgresStore(configuration: configuration, logger: Self.logger) { try await body($0) }
        }
    }

    func execute(_ sql: String) async throws {
        switch self {
        case .sqlite(let path):
            let queue = DatabaseQueue(path: path)
            defer { queue.close() }
            // Damage can break a reference to another row.
            try await queue.perform { try $0.execute("PRAGMA foreign_keys = OFF; " + sql) }
        case .postgres(let database): try await database.execute(sql)
        }
    }

    /// The first column of the result of a query, as text.
    func texts(_ sql: String) async throws -> [String] {
        switch self {
        case .sqlite(let path):
            let queue = DatabaseQueue(path: path)
            defer { queue.close() }
            return try await queue.perform { database in
                var texts: [String] = []
                try database.makeStatement(sql).each { row in texts.append(row[0].text ?? "") }
                return texts
            }
        case .postgres(let database): return try await database.execute(sql)
        }
    }

    /// The columns of all tables that have rows, in the order of their names.
    func columns() async throws -> [Column] {
        let list: String
        switch self {
        case .sqlite:
            list = """
                SELECT t.name || '|' || c.name || '|' || c.type || '|' || coalesce(
                    (SELECT group_concat('"' || k.name || '"') FROM pragma_table_info(t.name) k WHERE k.pk > 0),
                    'rowid'
                )
                FROM sqlite_master t, pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1
                """
        case .postgres:
            list = """
                SELECT c.table_name || '|' || c.column_name || '|' || c.data_type || '|ctid'
                FROM information_schema.columns c WHERE c.table_schema = 'apus' ORDER BY 1
                """
        }
        var columns: [Column] = []
        var counts: [String: Int] = [:]
        for text in try await self.texts(list) {
            let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4 else { continue }
            let table = self.table(parts[0])
            if counts[table] == nil {
                let count = try await self.texts("SELECT CAST(count(*) AS TEXT) FROM \(table)").first
                counts[table] = count.flatMap { Int($0) } ?? 0
            }
            guard let rows = counts[table], rows > 0 else { continue }
            columns.append(
                Column(table: table, name: "\"\(parts[1])\"", kind: Column.Kind(parts[2]), key: parts[3], rows: rows)
            )
        }
        return columns
    }

    private func table(_ name: String) -> String {
        switch self {
        case .sqlite: "\"\(name)\""
        case .postgres: "apus.\"\(name)\""
        }
    }

    private static func withFile(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apus-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.appending(path: "apus.sqlite").path())
    }
}

extension FuzzDatabase.Column.Kind {
    /// The kind of a type in SQL.
    fileprivate init(_ type: String) {
        let type = type.lowercased()
        if type.contains("int") {
            self = .integer
        } else if ["text", "jsonb"].contains(type) {
            self = .text
        } else if ["blob", "bytea"].contains(type) {
            self = .blob
        } else {
            self = .other
        }
    }
}

// MARK: Damage

extension FuzzDatabase {
    private static let integers = [
        "NULL", "-1", "0", "1", "2", "3", "7", "99", "255", "32767", "2147483647", "2147483648", "9007199254740993",
        "253402300800000", "-62135596800001", "9223372036854775", "9223372036854776", "9223372036854775807",
        "-9223372036854775808", "-9223372036854775807",
    ]

    /// Changes a value of a random row and column.
    ///
    /// - Returns: the statement; `nil` if the constraints of the table refused several of them.
    func damage(_ columns: [Column], _ random: inout SeededRandom) async throws -> String? {
        for _ in 0..<20 {
            let column = FuzzedText.pick(columns, using: &random)
            let row = Int.random(in: 0..<column.rows, using: &random)
            let place = Self.place(column, row)
            let value = try await self.value(column, place, &random)
            let sql = "UPDATE \(column.table) SET \(column.name) = \(value) WHERE \(place)"
            do {
                try await self.execute(sql)
                return sql
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                continue
            }
        }
        return nil
    }

    /// A condition for one row.
    private static func place(_ column: Column, _ row: Int) -> String {
        let key = column.key
        return "(\(key)) = (SELECT \(key) FROM \(column.table) ORDER BY \(key) LIMIT 1 OFFSET \(row))"
    }

    /// An expression for another value of a column.
    private func value(_ column: Column, _ place: String, _ random: inout SeededRandom) async throws -> String {
        if FuzzedText.chance(10, using: &random) {
            let row = Int.random(in: 0..<column.rows, using: &random)
            return "(SELECT \(column.name) FROM \(column.table) ORDER BY \(column.key) LIMIT 1 OFFSET \(row))"
        }
        switch column.kind {
        case .integer:
            let expressions = Self.integers + ["\(column.name) + 1", "-\(column.name)", "\(column.name) * 1000"]
            return FuzzedText.pick(expressions, using: &random)
        case .text:
            let old = String(decoding: try await self.bytes(column, place), as: UTF8.self)
            return Self.text(Self.changed(old, &random))
        case .blob:
            let old = try await self.bytes(column, place)
            return self.blob(Self.changed(old, &random))
        case .other: return "NULL"
        }
    }

    /// The bytes of a value; none if it is NULL.
    private func bytes(_ column: Column, _ place: String) async throws -> [UInt8] {
        let expression: String
        switch self {
        case .sqlite: expression = "hex(CAST(\(column.name) AS BLOB))"
        case .postgres where column.kind == .blob: expression = "encode(\(column.name), 'hex')"
        case .postgres: expression = "encode(convert_to(\(column.name)::text, 'UTF8'), 'hex')"
        }
        let query = "SELECT coalesce(\(expression), '') FROM \(column.table) WHERE \(place)"
        let digits = Array(try await self.texts(query).first ?? "")
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    private static func changed(_ text: String, _ random: inout SeededRandom) -> String {
        if let value = try? JSONValue(json: Array(text.utf8)), !FuzzedText.chance(5, using: &random) {
            var mutator = JSONMutator(random, donors: FuzzScript.shared.donors)
            let changed = mutator.mutate(FuzzedJSON(value)).written
            random = mutator.random
            return changed
        }
        return FuzzedText.chance(3, using: &random)
            ? FuzzedText.text(using: &random) : FuzzedText.changed(text, using: &random)
    }

    private static func changed(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        if let text = String(validating: bytes, as: UTF8.self), (try? JSONValue(json: bytes)) != nil {
            return Array(self.changed(text, &random).utf8)
        }
        var bytes = bytes
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes = []
        case 1: bytes.removeLast(bytes.count / 2)
        case 2: bytes += [0]
        case 3: bytes = Array(repeating: 0xFF, count: bytes.count)
        default:
            guard let place = bytes.indices.randomElement(using: &random) else { return [0x5B] }
            bytes[place] = .random(in: 0...255, using: &random)
        }
        return bytes
    }

    /// A literal of a text; neither database stores NUL.
    private static func text(_ text: String) -> String {
        "'" + text.replacing("\u{0}", with: "").replacing("'", with: "''") + "'"
    }

    /// A literal of bytes.
    private func blob(_ bytes: [UInt8]) -> String {
        let digits = bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        switch self {
        case .sqlite: return "x'\(digits)'"
        case .postgres: return "'\\x\(digits)'"
        }
    }
}
