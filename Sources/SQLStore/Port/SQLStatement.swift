// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import Synchronization

/// A statement that is executed for each batch.
///
/// Its text is rendered once, and SQLite finds the prepared statement by ``number``, without a hash of the text. The
/// text names the values `$1`, `$2` and so on, first in this order, because SQLite numbers them by their first place.
package final class SQLStatement: Sendable {
    private static let count = Atomic(0)

    /// A number that no other statement of the process has.
    package let number: Int

    let template: SQL
    private let sqlite: String
    private let postgres: String

    /// Takes the text, which has no interpolated values.
    package init(_ text: SQL) {
        self.number = Self.nextNumber()
        self.template = text
        self.sqlite = text.text(for: .sqlite)
        self.postgres = text.text(for: .postgres)
    }

    package func text(for dialect: SQLDialect) -> String {
        dialect == .sqlite ? self.sqlite : self.postgres
    }

    /// The statement with its values; it cannot be a part of another one.
    package func callAsFunction(_ values: [SQLValue]) -> SQL { SQL(self, values) }

    static func nextNumber() -> Int { self.count.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// A statement over rows whose text is rendered once; see ``SQLRows``.
///
/// SQLite executes it for each row without columns in between, so it has no `row_position`.
final class SQLRowStatement<Row>: Sendable {
    private let alias: StaticString
    private let columns: KeyValuePairs<StaticString, @Sendable (Row) throws -> SQLValue>
    private let statement: SQLStatement

    /// The columns in the order of their parameters on SQLite.
    private let order: [Int]

    /// Takes the name of the rows, the name and the value of each column, and the text, which has no other values.
    init(
        _ alias: StaticString,
        _ columns: KeyValuePairs<StaticString, @Sendable (Row) throws -> SQLValue>,
        _ text: (SQLRows) -> SQL
    ) {
        let template = text(SQLRows(alias, names: columns.map(\.key), columns: columns.map { _ in [] }))
        self.alias = alias
        self.columns = columns
        self.statement = SQLStatement(template)
        self.order = template.parts.compactMap { if case .column(let column) = $0 { column } else { nil } }
    }

    /// The executions over rows: one for each on SQLite, and one for all on PostgreSQL.
    fileprivate func executions(over rows: [Row], in dialect: SQLDialect) throws -> [SQL] {
        guard dialect == .postgres else {
            return try rows.map { row in try self.statement(self.order.map { try self.columns[$0].value(row) }) }
        }
        guard !rows.isEmpty else { return [] }
        let columns = try self.columns.map { column in try rows.map { try column.value($0) } }
        return [SQL(self.statement, [], rows: SQLRows(self.alias, names: self.columns.map(\.key), columns: columns))]
    }
}

extension SQLExecutor {
    /// Executes a statement over rows, without a wait for its result.
    func run<Row>(_ statement: SQLRowStatement<Row>, over rows: [Row]) throws {
        for execution in try statement.executions(over: rows, in: self.dialect) { try self.run(execution) }
    }

    /// Executes a statement over rows, and decodes the rows of its result.
    func map<Row, Value>(
        _ statement: SQLRowStatement<Row>,
        over rows: [Row],
        _ decode: (StoredRow) throws -> Value
    ) throws -> [Value] {
        try statement.executions(over: rows, in: self.dialect).flatMap { try self.map($0, decode) }
    }
}
