// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushStore

/// Executes statements: a connection, or a transaction on it.
///
/// SQLite executes a statement at once. PostgreSQL sends it with the next result that is read, or with the commit, and reports
/// its failure there. So a caller must not catch a failure to continue.
package protocol SQLExecutor: AnyObject {
    var dialect: SQLDialect { get }

    /// Executes a statement, without a wait for its result.
    @discardableResult
    func run(_ sql: SQL) throws -> any SQLResult

    /// Executes a read whose text differs from call to call, or whose plan depends on its values.
    ///
    /// It is not kept prepared, and PostgreSQL plans it for its values. SQLite executes it each time its result is read.
    func query(_ sql: SQL) throws -> any SQLResult

    /// Executes a statement, and passes each row to a closure, which must not keep it.
    ///
    /// SQLite passes the rows without a copy.
    func each(_ sql: SQL, _ body: (StoredRow) throws -> Void) throws
}

extension SQLExecutor {
    package func query(_ sql: SQL) throws -> any SQLResult { try self.run(sql) }

    package func each(_ sql: SQL, _ body: (StoredRow) throws -> Void) throws {
        for row in try self.run(sql).rows { try body(row) }
    }

    /// Executes a statement and decodes its rows, for hot statements; see ``each(_:_:)``.
    package func map<Value>(_ sql: SQL, _ decode: (StoredRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try self.each(sql) { values.append(try decode($0)) }
        return values
    }

    /// Executes a statement of PostgreSQL that only locks, without a wait for it.
    ///
    /// SQLite skips it: it has one writer, so a transaction that writes locks everything.
    package func lock(_ sql: SQL) throws {
        if self.dialect == .postgres { try self.run(sql) }
    }

    package func rows(_ sql: SQL) throws -> [StoredRow] { try self.run(sql).rows }

    package func first(_ sql: SQL) throws -> StoredRow? { try self.run(sql).rows.first }

    /// Decodes a page of rows of a table; corrupt ones are skipped and reported.
    ///
    /// The statement ends before its LIMIT.
    func page<Value: Sendable, Cursor: Hashable & Sendable>(
        _ sql: SQL,
        in table: String,
        limit: Int,
        cursor: (StoredRow) throws -> Cursor,
        _ decode: (StoredRow) throws -> Value
    ) throws -> Page<Value, Cursor> {
        let limit = PageLimit.clamp(limit)
        let rows = try self.rows("\(sql) LIMIT \(limit + 1)")
        return try Page(overfull: rows, in: table, limit: limit, cursor: cursor, decode)
    }
}

/// A connection of one database, used by one thread at a time.
package protocol SQLConnection: SQLExecutor {
    /// Commits the transaction, unless others share its commit.
    func commit() throws
}

/// The result of a statement.
///
/// Its properties wait for it, unless a later result was read or the transaction was committed.
package protocol SQLResult {
    var rows: [StoredRow] { get throws }

    /// The number of rows that the statement changed.
    var changes: Int { get throws }

    /// Passes each row. SQLite copies no row for it, so `body` must not keep one.
    func each(_ body: (StoredRow) throws -> Void) throws
}

extension SQLResult {
    package func each(_ body: (StoredRow) throws -> Void) throws {
        for row in try self.rows { try body(row) }
    }
}
