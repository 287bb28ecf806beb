// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel
package import PushStore

/// Rows of values over which a statement is executed.
///
/// PostgreSQL executes the statement once, with an array for each column. SQLite executes the prepared statement once
/// for each row, which is faster there than one statement over all of them. The result has the rows and changes of all
/// executions; nothing is executed without rows.
///
/// The column `row_position` is the position of the row, from 1 on. Two rows must not change the same row of the database:
/// PostgreSQL makes only one of the changes, or fails.
package final class SQLRows: Sendable {
    let alias: StaticString
    let names: [StaticString]

    /// The values of all rows, column by column.
    let columns: [[SQLValue]]

    package var count: Int { self.columns.first?.count ?? 0 }

    /// Takes the name of the rows in the statement, and the names and values of all columns, or of the first `count`.
    ///
    /// All values of a column have one type.
    package init<Row>(
        _ alias: StaticString,
        _ rows: [Row],
        _ columns: KeyValuePairs<StaticString, (Row) throws -> SQLValue>,
        first count: Int = .max
    ) throws {
        let columns = columns.prefix(count)
        self.alias = alias
        self.names = columns.map { $0.key }
        var values = columns.map { _ in [SQLValue]() }
        for index in values.indices { values[index].reserveCapacity(rows.count) }
        // Row by row, because a copy of a large row costs more than its values.
        for row in rows {
            for (index, column) in columns.enumerated() { values[index].append(try column.value(row)) }
        }
        self.columns = values
    }

    init(_ alias: StaticString, names: [StaticString], columns: [[SQLValue]]) {
        self.alias = alias
        self.names = names
        self.columns = columns
    }

    package subscript(_ name: StaticString) -> SQL {
        SQL(.column(self.names.firstIndex { $0.description == name.description } ?? self.names.count), of: self)
    }

    /// The columns and values of an INSERT: all columns of the rows, and others.
    ///
    /// An expression in `others` replaces the column of that name, and `nil` omits it. `first` has the names and the
    /// values of columns that only one database has, each followed by a comma.
    package func insert(
        _ others: KeyValuePairs<StaticString, SQL?> = [:],
        first: (names: SQL, values: SQL) = ("", "")
    ) -> SQL {
        let replaced = Set(others.map { $0.key.description })
        var names: [SQL] = []
        var values: [SQL] = []
        for (name, value) in others {
            guard let value else { continue }
            names.append(SQL(stringLiteral: name))
            values.append(value)
        }
        for (index, name) in self.names.enumerated() where !replaced.contains(name.description) {
            names.append(SQL(stringLiteral: name))
            values.append(SQL(.column(index), of: self))
        }
        let (columns, row) = (SQL(names, separator: ", "), SQL(values, separator: ", "))
        let end: SQL = "\(sqlite: ")")\(" FROM ", self)\(postgres: " ORDER BY row_position")"
        return """
            (\(first.names)\(columns)) \(sqlite: "VALUES (", postgres: "SELECT ")\(first.values)\(row)\(end)
            """
    }

    /// Assignments of some of the columns, for SET.
    func assignments(_ columns: Range<Int>) -> SQL {
        let assignments = columns.map { column -> SQL in
            "\(SQL(stringLiteral: self.names[column])) = \(SQL(.column(column), of: self))"
        }
        return SQL(assignments, separator: ", ")
    }

    func reference(to column: Int) -> String {
        "\(self.alias).\(column < self.names.count ? self.names[column] : "row_position")"
    }

    func values(of column: Int) -> [SQLValue] {
        column < self.columns.count ? self.columns[column] : (0..<self.count).map { .integer(Int64($0) + 1) }
    }
}

extension SQL.StringInterpolation {
    /// The rows after a keyword such as ` FROM `, ` USING ` or `, `, for PostgreSQL only.
    package mutating func appendInterpolation(_ keyword: StaticString, _ rows: SQLRows) {
        self.appendInterpolation(SQL(.rows(keyword), of: rows))
    }

    /// A condition: `= value` for one of the keys, which are all different.
    ///
    /// SQLite executes the statement once for each key, so the result has no order, and a LIMIT holds for each key.
    package mutating func appendInterpolation(each keys: [Int64]) { self.append(each: keys.map { .integer($0) }) }

    package mutating func appendInterpolation(each keys: [some TextIdentifier]) {
        self.append(each: keys.map { .text($0.rawValue) })
    }

    package mutating func appendInterpolation(each keys: [APNsID]) { self.append(each: keys.map { .id($0) }) }

    private mutating func append(each keys: [SQLValue]) {
        // PostgreSQL keeps the plan of this comparison until it has new statistics. With an array of unknown length it
        // plans each execution.
        if keys.count == 1 { return self.appendInterpolation("= \(keys[0])" as SQL) }
        self.appendInterpolation(SQL(.keys, of: SQLRows("", names: [], columns: [keys])))
    }
}

/// A parameter of a statement that is executed over rows.
package enum SQLParameter: Sendable {
    case value(SQLValue)

    /// A value for each row.
    case column([SQLValue])
}

/// A result that is known.
package struct SQLCompletedResult: SQLResult {
    package let rows: [StoredRow]
    package let changes: Int

    package init(rows: [StoredRow] = [], changes: Int = 0) {
        self.rows = rows
        self.changes = changes
    }
}

extension SQLValue {
    package static func number(_ number: Int?) -> SQLValue { .integer(number.map(Int64.init)) }

    package static func identifier(_ id: (some TextIdentifier)?) -> SQLValue { .text(id?.rawValue) }

    package static func environment(_ environment: APNsEnvironment) -> SQLValue { .number(environment.stored) }

    /// A time, stored in milliseconds since 1970.
    package static func time(_ time: Date?) -> SQLValue { .integer(time?.millisecondsSince1970) }
}
