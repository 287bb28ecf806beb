// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore

/// Executes statements: a connection, or a transaction on it.
///
/// What a statement returns is read at once, but ``run(_:)`` does not wait. PostgreSQL sends a failure of such a statement with
/// the next result or with the commit, so a caller must not catch it to continue.
package protocol SQLExecutor: AnyObject {
    var dialect: SQLDialect { get }

    /// Executes a statement that returns no rows.
    @discardableResult
    func run(_ sql: SQL) throws -> SQLResult

    /// Executes a statement and returns its rows.
    func rows(_ sql: SQL) throws -> [SQLRow]

    /// Executes a statement and returns its first row.
    func first(_ sql: SQL) throws -> SQLRow?
}

/// A connection of one database, used by one thread at a time.
package protocol SQLConnection: SQLExecutor {
    /// Appends events to the feed of an app. In PostgreSQL this locks the feed until the commit.
    func append(_ events: [EventDraft], app: Int64) throws

    /// Commits the transaction, unless others share its commit.
    func commit() throws

    /// The activities and campaigns in this transaction.
    func makeActivities() -> any SQLActivities
}

/// The result of a statement without rows.
package struct SQLResult {
    private let readChanges: () throws -> Int

    package init(_ changes: @escaping () throws -> Int) {
        self.readChanges = changes
    }

    /// The number of rows that the statement changed.
    ///
    /// Waits for it, unless the transaction was committed.
    package var changes: Int { get throws { try self.readChanges() } }
}

/// A row of either database.
package struct SQLRow: StoredRow {
    private let row: any StoredRow

    package init(_ row: some StoredRow) {
        self.row = row
    }

    package func integer(_ column: String) throws -> Int64? { try self.row.integer(column) }

    package func text(_ column: String) throws -> String? { try self.row.text(column) }

    package func bytes(_ column: String) throws -> [UInt8]? { try self.row.bytes(column) }
}
