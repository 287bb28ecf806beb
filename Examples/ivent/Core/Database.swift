// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite
import Synchronization

/// The SQLite file that the backend and the scheduler share.
///
/// One connection, used by one thread at a time. The file is in WAL mode, so the processes read while one of them writes.
package final class Database: Sendable {
    /// `@unchecked Sendable`: only the holder of the mutex uses the handle.
    private struct Connection: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private let connection: Mutex<Connection>

    /// Opens the file, and creates it and its tables if they are missing.
    ///
    /// - Throws: ``DatabaseError``.
    package init(path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw DatabaseError(handle, path)
        }
        self.connection = Mutex(Connection(handle: handle))
        // The other process may be writing; a short wait is enough.
        sqlite3_busy_timeout(handle, 5000)
        for sql in ["PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON"] + Self.schema { try self.execute(sql) }
    }

    deinit { self.connection.withLock { _ = sqlite3_close_v2($0.handle) } }

    /// Executes one statement and maps its rows.
    ///
    /// - Parameters:
    ///   - sql: the statement, with `?` for each value.
    ///   - values: the values.
    ///   - map: maps a row; it must not use the database.
    /// - Returns: the results of `map`.
    /// - Throws: ``DatabaseError``, and the errors of `map`.
    @discardableResult
    package func rows<Result>(
        _ sql: String,
        _ values: [Value] = [],
        map: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        try self.connection.withLock { connection in
            let handle = connection.handle
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
                throw DatabaseError(handle, sql)
            }
            defer { sqlite3_finalize(statement) }
            for (index, value) in values.enumerated() { value.bind(to: statement, at: Int32(index + 1)) }
            var results: [Result] = []
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: results.append(try map(Row(statement: statement)))
                case SQLITE_DONE: return results
                default: throw DatabaseError(handle, sql)
                }
            }
        }
    }

    /// Executes one statement without rows.
    ///
    /// - Parameters:
    ///   - sql: the statement, with `?` for each value.
    ///   - values: the values.
    /// - Throws: ``DatabaseError``.
    package func execute(_ sql: String, _ values: [Value] = []) throws {
        try self.rows(sql, values) { _ in }
    }

    // Times are seconds since 1970.
    private static let schema = [
        "CREATE TABLE IF NOT EXISTS academies (id TEXT PRIMARY KEY, name TEXT NOT NULL)",
        """
        CREATE TABLE IF NOT EXISTS children (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, parent_id TEXT NOT NULL, invitation_hash TEXT NOT NULL
        )
        """,
        "CREATE INDEX IF NOT EXISTS children_invitations ON children (invitation_hash)",
        "CREATE TABLE IF NOT EXISTS sessions (token_hash TEXT PRIMARY KEY, parent_id TEXT NOT NULL)",
        """
        CREATE TABLE IF NOT EXISTS schedules (
            id TEXT PRIMARY KEY,
            child_id TEXT NOT NULL REFERENCES children (id),
            academy_id TEXT NOT NULL REFERENCES academies (id),
            title TEXT NOT NULL,
            start_time INTEGER NOT NULL,
            end_time INTEGER NOT NULL,
            time_zone TEXT NOT NULL,
            status TEXT NOT NULL,
            live_activity_token TEXT,
            activity_id TEXT,
            apns_environment TEXT
        )
        """,
        "CREATE INDEX IF NOT EXISTS schedules_ends ON schedules (end_time)",
    ]
}

/// A value of a statement.
package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case text(String)
    case integer(Int64)

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }

    fileprivate func bind(to statement: OpaquePointer, at index: Int32) {
        switch self {
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .text(let value):
            // SQLITE_TRANSIENT, a macro: SQLite copies the text.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            sqlite3_bind_text(statement, index, value, -1, copied)
        }
    }
}

/// The current row of a statement.
package struct Row: ~Copyable {
    fileprivate let statement: OpaquePointer

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(self.statement, column) }

    /// The text of a column; `nil` if it is NULL.
    package func optionalText(_ column: Int32) -> String? {
        sqlite3_column_text(self.statement, column).map { String(cString: $0) }
    }

    /// The text of a column; empty if it is NULL.
    package func text(_ column: Int32) -> String { self.optionalText(column) ?? "" }
}

/// A failure of SQLite.
package struct DatabaseError: Error, CustomStringConvertible {
    package let description: String

    /// Whether a row refers to another one that does not exist.
    package let isMissingReference: Bool

    fileprivate init(_ handle: OpaquePointer?, _ subject: String) {
        // SQLITE_CONSTRAINT_FOREIGNKEY, a macro.
        self.isMissingReference = handle.map { sqlite3_extended_errcode($0) } == SQLITE_CONSTRAINT | 3 << 8
        let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
        self.description = "SQLite: \(reason), in: \(subject)"
    }
}
