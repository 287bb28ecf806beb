// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel
package import PushStore
public import SQLStore
package import SQLite

extension SQLiteStore: SQLOperations, SQLDriver {
    public var sql: SQLDatabase { SQLDatabase(self) }

    package var writersAtOnce: Int { 1 }

    package func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.read(kind) { try body($0) }
    }

    package func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        storedRow: (@Sendable (Value) -> SQL?)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.writes.run(in: lane) { try body($0, &$1) }
    }
}

extension Database: SQLConnection {
    package var dialect: SQLDialect { .sqlite }

    /// The key of the store, once it has one; see ``PushStore/DataKeySlot``.
    private var dataKey: DataKey? { (self.attachment as? DataKeySlot)?.key }

    @discardableResult
    package func run(_ sql: SQL) throws -> any SQLResult {
        var rows: [StoredRow] = []
        let key = self.dataKey
        let changes = try self.execute(sql, under: key) { rows.append(StoredRow($0.copy(), dataKey: key)) }
        return SQLCompletedResult(rows: rows, changes: changes)
    }

    package func each(_ sql: SQL, _ body: (StoredRow) throws -> Void) throws {
        let key = self.dataKey
        try self.execute(sql, under: key) { try body(StoredRow($0, dataKey: key)) }
    }

    @discardableResult
    private func execute(_ sql: SQL, under key: DataKey?, _ body: (StatementRow) throws -> Void) throws -> Int {
        if let rows = sql.rows, rows.count == 0 { return 0 }
        let (text, number) = sql.numberedText
        let statement = try number.map { try self.cachedStatement(text, number: $0) } ?? self.cachedStatement(text)
        return try statement.run(sql, under: key, body)
    }

    package func query(_ sql: SQL) throws -> any SQLResult {
        StatementResult(statement: try self.makeStatement(sql.text(for: .sqlite)), sql: sql, key: self.dataKey)
    }

    /// The owner of the connection commits, several calls at once.
    package func commit() throws {}
}

/// A statement that is executed when its rows are read.
private struct StatementResult: SQLResult {
    let statement: Statement
    let sql: SQL
    let key: DataKey?

    var rows: [StoredRow] {
        get throws {
            var rows: [StoredRow] = []
            try self.statement.run(self.sql, under: self.key) {
                rows.append(StoredRow($0.copy(), dataKey: self.key))
            }
            return rows
        }
    }

    /// A read changes nothing.
    var changes: Int { 0 }

    func each(_ body: (StoredRow) throws -> Void) throws {
        try self.statement.run(self.sql, under: self.key) { try body(StoredRow($0, dataKey: self.key)) }
    }
}

extension Statement {
    /// Executes the statement with the values of `sql`, for each of its rows if it has any.
    ///
    /// - Returns: the number of rows that it changed.
    @discardableResult
    fileprivate func run(
        _ sql: SQL,
        under key: DataKey?,
        _ body: (StatementRow) throws -> Void
    ) throws -> Int {
        guard let rows = sql.rows else {
            let values = sql.values
            return try self.run(values.count, { values[$0].stored(under: key) }, body)
        }
        let parameters = sql.parameters(for: .sqlite)
        var changes = 0
        for row in 0..<rows.count {
            changes += try self.run(
                parameters.count,
                { index in
                    switch parameters[index] {
                    case .value(let value): value.stored(under: key)
                    case .column(let values): values[row].stored(under: key)
                    }
                },
                body
            )
        }
        return changes
    }
}

extension SQLValue {
    /// The value as SQLite stores it; a token or content is sealed under `key`, if there is one.
    fileprivate func stored(under key: DataKey?) -> DatabaseValue {
        switch self {
        case .integer(let number): number.map { .integer($0) } ?? .null
        case .text(let text): text.map { .text($0) } ?? .null
        case .bytes(let bytes): bytes.map { .blob($0) } ?? .null
        case .token(let token): token.map { .blob(StoredContent.token($0, under: key)) } ?? .null
        case .content(let bytes): bytes.map { .blob(StoredContent.bytes($0, under: key)) } ?? .null
        case .contentText(let text): text.map { .text(StoredContent.text($0, under: key)) } ?? .null
        case .id(let id): id.map { .blob($0.stored) } ?? .null
        case .texts(let texts):
            (try? JSONEncoder().encode(texts)).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
        case .integers(let numbers): .text("[\(numbers.map(String.init).joined(separator: ","))]")
        }
    }
}

extension Row: StoredColumns {}

extension StatementRow: StoredColumns {}

extension StoredColumns where Self: DatabaseRow {
    package func integer(_ column: String) throws -> Int64? {
        switch self[column] {
        case .integer(let number): number
        case .null: nil
        default: throw StoreError.damaged(column)
        }
    }

    package func text(_ column: String) throws -> String? {
        switch self[column] {
        case .text(let text): text
        case .null: nil
        default: throw StoreError.damaged(column)
        }
    }

    package func bytes(_ column: String) throws -> [UInt8]? {
        switch self[column] {
        case .blob(let bytes): bytes
        case .null: nil
        default: throw StoreError.damaged(column)
        }
    }
}
