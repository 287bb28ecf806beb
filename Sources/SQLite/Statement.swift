// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite
import Synchronization

/// A prepared statement of a connection, finalized when the last reference to it is released.
package final class Statement {
    /// Arguments of more bytes are bound where they are; SQLite copies the shorter ones.
    private static let copiedBytes = 4096

    fileprivate let handle: OpaquePointer
    private var columns = ResultColumns()
    private let sql: String
    private let parameterCount: Int
    private var preparations: Int32?

    /// Whether its rows are being read; then a second execution needs another statement.
    var isBusy: Bool { sqlite3_stmt_busy(self.handle) != 0 }

    /// Prepares one statement, with `isPersistent` for many executions.
    init(_ connection: OpaquePointer, _ sql: String, isPersistent: Bool) throws {
        self.sql = sql
        self.handle = try sql.withCString { text in
            var handle: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
            let code = sqlite3_prepare_v3(connection, text, -1, flags, &handle, &tail)
            guard code == SQLITE_OK else { throw DatabaseError(connection, code, sql: sql) }
            guard let handle, tail?.pointee == 0 else {
                sqlite3_finalize(handle)
                throw DatabaseError(.misuse, "Expected exactly one statement", sql: sql)
            }
            return handle
        }
        self.parameterCount = Int(sqlite3_bind_parameter_count(self.handle))
    }

    deinit { sqlite3_finalize(self.handle) }

    /// Executes the statement to its end, and reads its rows as ``each(_:limit:_:)`` does.
    ///
    /// - Returns: the number of rows that the last INSERT, UPDATE or DELETE of the connection changed.
    @discardableResult
    package func run(
        _ arguments: StatementArguments = [],
        _ body: (StatementRow) throws -> Void = { _ in }
    ) throws -> Int {
        try self.run(arguments.count, { arguments[$0]?.databaseValue ?? .null }, body)
    }

    /// Executes the statement as ``run(_:_:)`` does, with `count` arguments that `argument` returns by their positions.
    @discardableResult
    package func run(
        _ count: Int,
        _ argument: (Int) -> DatabaseValue,
        _ body: (StatementRow) throws -> Void
    ) throws -> Int {
        try self.each(count, argument, limit: .max, body)
        return Int(sqlite3_changes(sqlite3_db_handle(self.handle)))
    }

    /// Returns the first column of the first row; `nil` without rows.
    package func value(_ arguments: StatementArguments = []) throws -> DatabaseValue? {
        var value: DatabaseValue?
        try self.each(arguments, limit: 1) { value = $0[0] }
        return value
    }

    /// Executes the statement and passes its rows to `body` without copying them.
    ///
    /// Ends after `limit` rows. `body` must not keep a row.
    /// - Throws: ``DatabaseError``, or what `body` throws.
    package func each(
        _ arguments: StatementArguments = [],
        limit: Int = .max,
        _ body: (StatementRow) throws -> Void
    ) throws {
        try self.each(arguments.count, { arguments[$0]?.databaseValue ?? .null }, limit: limit, body)
    }

    private func each(
        _ argumentCount: Int,
        _ argument: (Int) -> DatabaseValue,
        limit: Int,
        _ body: (StatementRow) throws -> Void
    ) throws {
        guard argumentCount == self.parameterCount else {
            throw DatabaseError(.misuse, "Wrong number of arguments: \(argumentCount)", sql: self.sql)
        }
        try self.bind(argument, from: 0) {
            // The arguments live only until this closure returns.
            defer {
                sqlite3_reset(self.handle)
                sqlite3_clear_bindings(self.handle)
            }
            var count = 0
            while count < limit {
                switch sqlite3_step(self.handle) {
                case SQLITE_ROW:
                    if count == 0 { self.readColumns() }
                    try body(StatementRow(statement: self, columns: self.columns))
                case SQLITE_DONE: return
                case let code: throw self.failure(code)
                }
                count += 1
            }
        }
    }

    /// Binds the arguments from an index on, then calls `body` while the long ones are in scope.
    private func bind(_ argument: (Int) -> DatabaseValue, from first: Int, _ body: () throws -> Void) throws {
        // SQLite copies the values that are bound with it.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for index in first..<self.parameterCount {
            let place = Int32(index + 1)
            switch argument(index) {
            case .null: try self.check(sqlite3_bind_null(self.handle, place))
            case .integer(let number): try self.check(sqlite3_bind_int64(self.handle, place, number))
            case .real(let number): try self.check(sqlite3_bind_double(self.handle, place, number))
            case .text(""): try self.check(sqlite3_bind_text(self.handle, place, "", 0, copying))
            case .text(var text):
                let isCopied = text.utf8.count <= Self.copiedBytes
                try text.withUTF8 { utf8 in
                    try utf8.withMemoryRebound(to: CChar.self) { text in
                        let count = UInt64(text.count)
                        let end = isCopied ? copying : nil
                        let encoding = UInt8(SQLITE_UTF8)
                        try self.check(
                            sqlite3_bind_text64(self.handle, place, text.baseAddress, count, end, encoding)
                        )
                        if !isCopied { try self.bind(argument, from: index + 1, body) }
                    }
                }
                if !isCopied { return }
            case .blob([]): try self.check(sqlite3_bind_zeroblob(self.handle, place, 0))
            case .blob(let bytes):
                let isCopied = bytes.count <= Self.copiedBytes
                try bytes.withUnsafeBytes { bytes in
                    let end = isCopied ? copying : nil
                    try self.check(
                        sqlite3_bind_blob64(self.handle, place, bytes.baseAddress, UInt64(bytes.count), end)
                    )
                    if !isCopied { try self.bind(argument, from: index + 1, body) }
                }
                if !isCopied { return }
            }
        }
        try body()
    }

    /// Reads the names of the columns, again after SQLite prepared the statement for a changed schema.
    private func readColumns() {
        let preparations = sqlite3_stmt_status(self.handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        guard self.preparations != preparations else { return }
        self.preparations = preparations
        let names = (0..<sqlite3_column_count(self.handle)).map { index in
            sqlite3_column_name(self.handle, index).map { String(cString: $0) }
        }
        self.columns = ResultColumns(names)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw self.failure(code) }
    }

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(sqlite3_db_handle(self.handle), code, sql: self.sql)
    }
}

/// The current row of a statement, as long as the statement is not stepped or reset.
package struct StatementRow: DatabaseRow {
    fileprivate let statement: Statement
    fileprivate let columns: ResultColumns

    package subscript(column: String) -> DatabaseValue? { self.columns.index(of: column).map { self[$0] } }

    /// The value of a column by its index; NULL if there is none.
    package subscript(index: Int32) -> DatabaseValue { DatabaseValue(self.statement.handle, column: index) }

    /// A copy that outlives the step.
    package func copy() -> Row {
        let count = sqlite3_column_count(self.statement.handle)
        var values: [DatabaseValue] = []
        values.reserveCapacity(Int(count))
        for index in 0..<count { values.append(self[index]) }
        return Row(columns: self.columns, values: values)
    }
}

/// A Swift value that can be the argument of a statement.
package protocol StatementArgument: Sendable {
    var databaseValue: DatabaseValue { get }
}

/// A result row whose columns are read by name.
package protocol DatabaseRow {
    /// The value of the first column of this name; `nil` if there is none.
    subscript(column: String) -> DatabaseValue? { get }
}

/// A copy of a result row.
package struct Row: DatabaseRow, Sendable {
    let columns: ResultColumns
    let values: [DatabaseValue]

    package subscript(column: String) -> DatabaseValue? {
        self.columns.index(of: column).map { self.values[Int($0)] }
    }
}

/// The columns of a result by their names.
final class ResultColumns: Sendable {
    private struct Column {
        let name: String
        let index: Int32
    }

    private let columns: [Column]

    /// The position after the column that was found last.
    private let next = Atomic(0)

    init(_ names: [String?] = []) {
        var columns: [Column] = []
        for (index, name) in names.enumerated() {
            guard let name, !columns.contains(where: { $0.name == name }) else { continue }
            columns.append(Column(name: name, index: Int32(index)))
        }
        self.columns = columns
    }

    /// Returns the index of the first column of this name; `nil` if there is none.
    ///
    /// Rows are mostly read in the order of their columns, so the search begins after the column that was found last.
    func index(of name: String) -> Int32? {
        var position = self.next.load(ordering: .relaxed)
        for _ in self.columns.indices {
            if position >= self.columns.count { position = 0 }
            if self.columns[position].name == name {
                self.next.store(position + 1, ordering: .relaxed)
                return self.columns[position].index
            }
            position += 1
        }
        return nil
    }
}
