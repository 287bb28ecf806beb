// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB
import GRDBSQLite
import PushStore

/// A compiled statement for what is done thousands of times in one transaction.
///
/// Its values are bound where SQLite has them, and rows are read from where it keeps them; `Database.run` and
/// `Database.rows` make several objects for each value. It is used on its connection, and for one thing at a time.
struct BoundStatement {
    /// A value that is bound.
    enum Value {
        case integer(Int64?)
        case text(String?)
        case bytes([UInt8]?)

        /// A whole number.
        static func number(_ number: Int?) -> Value { .integer(number.map(Int64.init)) }
    }

    private let connection: SQLiteConnection?
    private let statement: Statement
    private let columns: [String: Int32]

    /// The statement, compiled once for each connection.
    init(_ database: Database, _ sql: String) throws {
        self.connection = database.sqliteConnection
        self.statement = try database.cachedStatement(sql: sql)
        let handle = self.statement.sqliteStatement
        var columns: [String: Int32] = [:]
        for column in 0..<sqlite3_column_count(handle) {
            columns[String(cString: sqlite3_column_name(handle, column))] = column
        }
        self.columns = columns
    }

    /// Runs it with values; it gives no rows.
    func run(_ values: [Value]) throws {
        try self.each(values) { _ in }
    }

    /// What is read of the rows that it gives for values, in their order.
    func rows<Read>(_ values: [Value], _ read: (BoundRow) throws -> Read) throws -> [Read] {
        var found: [Read] = []
        try self.each(values) { found.append(try read($0)) }
        return found
    }

    private func each(_ values: [Value], _ body: (BoundRow) throws -> Void) throws {
        let handle = self.statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        for (place, value) in values.enumerated() { try self.check(self.bind(value, at: Int32(place + 1))) }
        let row = BoundRow(handle: handle, columns: self.columns)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(row)
            case SQLITE_DONE: return
            case let code: try self.check(code)
            }
        }
    }

    private func bind(_ value: Value, at place: Int32) -> Int32 {
        let handle = self.statement.sqliteStatement
        // SQLite makes a copy: what is bound need not live longer than this call.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .integer(let number?): return sqlite3_bind_int64(handle, place, number)
        case .text(let text?):
            var text = text
            if text.isEmpty { return sqlite3_bind_text(handle, place, "", 0, copying) }
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text(handle, place, characters.baseAddress, Int32(characters.count), copying)
                }
            }
        case .bytes(let bytes?):
            if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, place, 0) }
            return bytes.withUnsafeBytes { buffer in
                sqlite3_bind_blob(handle, place, buffer.baseAddress, Int32(buffer.count), copying)
            }
        case .integer(nil), .text(nil), .bytes(nil): return sqlite3_bind_null(handle, place)
        }
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        // The connection knows more than the statement says.
        let extended = sqlite3_extended_errcode(self.connection)
        let message = sqlite3_errmsg(self.connection).map { String(cString: $0) }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: extended & 0xff == code & 0xff ? extended : code),
            message: message,
            sql: self.statement.sql
        )
    }
}

/// A row of a statement, as long as that has not gone on.
struct BoundRow: StoredRow {
    fileprivate let handle: SQLiteStatement
    fileprivate let columns: [String: Int32]

    /// A whole number, or `nil` for NULL; see `StoredRow`.
    func integer(_ column: String) throws -> Int64? {
        guard let place = try self.place(of: column, SQLITE_INTEGER) else { return nil }
        return sqlite3_column_int64(self.handle, place)
    }

    /// A text, or `nil` for NULL; see `StoredRow`.
    func text(_ column: String) throws -> String? {
        guard let place = try self.place(of: column, SQLITE_TEXT) else { return nil }
        let text = sqlite3_column_text(self.handle, place)
        let count = Int(sqlite3_column_bytes(self.handle, place))
        return String(decoding: UnsafeBufferPointer(start: text, count: text == nil ? 0 : count), as: UTF8.self)
    }

    /// Bytes, or `nil` for NULL; see `StoredRow`.
    func bytes(_ column: String) throws -> [UInt8]? {
        guard let place = try self.place(of: column, SQLITE_BLOB) else { return nil }
        let bytes = sqlite3_column_blob(self.handle, place)
        let count = Int(sqlite3_column_bytes(self.handle, place))
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    /// The place of a column that holds a value of a type; `nil` where it holds NULL.
    private func place(of column: String, _ type: Int32) throws -> Int32? {
        guard let place = self.columns[column] else { throw StoreError.damaged(column) }
        let found = sqlite3_column_type(self.handle, place)
        if found == SQLITE_NULL { return nil }
        guard found == type else { throw StoreError.damaged(column) }
        return place
    }
}
