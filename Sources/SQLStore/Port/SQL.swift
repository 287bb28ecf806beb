// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel
import PushStore

/// A statement for both databases, or a part of one, with its values.
///
/// An interpolated value is a parameter, never text.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    enum Part {
        case text(StaticString)
        case only(SQLDialect, StaticString)
        case value

        /// The rows after a keyword, for PostgreSQL only.
        case rows(StaticString)

        /// The value of a column in the current row; the column after the last one is the position of the row.
        case column(Int)

        /// A comparison with each key.
        case keys
    }

    var parts: [Part] = []

    /// The values of the parameters, in the order of the text, except those of ``rows``.
    package private(set) var values: [SQLValue] = []

    /// The rows or keys over which the statement is executed; a statement has at most one such set.
    package private(set) var rows: SQLRows?

    /// The statement that has the rendered text.
    package private(set) var statement: SQLStatement?

    init(_ statement: SQLStatement, _ values: [SQLValue], rows: SQLRows? = nil) {
        self = statement.template
        self.statement = statement
        self.values = values
        self.rows = rows
    }

    package init(stringLiteral text: StaticString) {
        self.parts = [.text(text)]
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    private init(capacity: Int) {
        self.parts.reserveCapacity(2 * capacity + 1)
        self.values.reserveCapacity(capacity)
    }

    init(_ part: Part, of rows: SQLRows) {
        self.parts = [part]
        self.rows = rows
    }

    /// Statements or parts, separated by a text.
    package init(_ elements: some Sequence<SQL>, separator: StaticString) {
        for (index, element) in elements.enumerated() {
            if index > 0 { self.parts.append(.text(separator)) }
            self.append(element)
        }
    }

    fileprivate mutating func append(_ part: SQL) {
        self.parts += part.parts
        self.values += part.values
        self.rows = part.rows ?? self.rows
    }

    /// The text in a dialect, with a placeholder for each value.
    package func text(for dialect: SQLDialect) -> String {
        if let statement { return statement.text(for: dialect) }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(512)
        var count = 0
        func append(_ text: StaticString) { text.withUTF8Buffer { utf8.append(contentsOf: $0) } }
        func appendPlaceholder() {
            count += 1
            guard dialect == .postgres else { return utf8.append(UInt8(ascii: "?")) }
            utf8.append(contentsOf: "$\(count)".utf8)
        }
        for part in self.parts {
            switch part {
            case .text(let text), .only(dialect, let text): append(text)
            case .only: break
            case .value: appendPlaceholder()
            case .keys:
                append(dialect == .sqlite ? "= " : "= ANY (")
                appendPlaceholder()
                if dialect == .postgres { append(")") }
            case .column(let column):
                switch dialect {
                case .sqlite: appendPlaceholder()
                case .postgres: utf8.append(contentsOf: self.rows?.reference(to: column).utf8 ?? "".utf8)
                }
            case .rows(let keyword):
                guard dialect == .postgres, let rows = self.rows else { break }
                append(keyword)
                append("unnest(")
                for column in rows.columns.indices {
                    if column > 0 { append(", ") }
                    appendPlaceholder()
                }
                utf8.append(contentsOf: ") WITH ORDINALITY AS \(rows.alias) (".utf8)
                for name in rows.names { utf8.append(contentsOf: "\(name), ".utf8) }
                append("row_position)")
            }
        }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// The parameters of the text in a dialect, with those of the rows.
    package func parameters(for dialect: SQLDialect) -> [SQLParameter] {
        var parameters: [SQLParameter] = []
        var values = self.values.makeIterator()
        for part in self.parts {
            switch (part, dialect) {
            case (.value, _): if let value = values.next() { parameters.append(.value(value)) }
            case (.keys, _), (.rows, .postgres): parameters += self.rows?.columns.map(SQLParameter.column) ?? []
            case (.column(let column), .sqlite): parameters.append(.column(self.rows?.values(of: column) ?? []))
            case (.text, _), (.only, _), (.rows, .sqlite), (.column, .postgres): break
            }
        }
        return parameters
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL

        package init(literalCapacity: Int, interpolationCount: Int) {
            self.sql = SQL(capacity: interpolationCount)
        }

        package mutating func appendLiteral(_ text: StaticString) {
            self.sql.parts.append(.text(text))
        }

        package mutating func appendInterpolation(_ number: Int64?) { self.append(.integer(number)) }

        package mutating func appendInterpolation(_ number: Int?) { self.append(.number(number)) }

        package mutating func appendInterpolation(_ text: String?) { self.append(.text(text)) }

        package mutating func appendInterpolation(_ bytes: [UInt8]?) { self.append(.bytes(bytes)) }

        package mutating func appendInterpolation(_ id: APNsID?) { self.append(.id(id)) }

        package mutating func appendInterpolation(_ id: (some TextIdentifier)?) { self.append(.identifier(id)) }

        package mutating func appendInterpolation(_ environment: APNsEnvironment) {
            self.append(.environment(environment))
        }

        package mutating func appendInterpolation(_ time: Date?) { self.append(.time(time)) }

        package mutating func appendInterpolation(_ token: DeviceToken) { self.append(.token(token.bytes)) }

        package mutating func appendInterpolation(_ value: SQLValue) { self.append(value) }

        package mutating func appendInterpolation(_ part: SQL) { self.sql.append(part) }

        /// A condition: `= value` for one of the texts.
        package mutating func appendInterpolation(in texts: [String]) { self.append(in: .texts(texts)) }

        /// A condition: `= value` for one of the numbers.
        package mutating func appendInterpolation(in numbers: [Int64]) { self.append(in: .integers(numbers)) }

        private mutating func append(in list: SQLValue) {
            self.appendInterpolation(sqlite: "IN (SELECT value FROM json_each(", postgres: "= ANY (")
            self.append(list)
            self.appendInterpolation(sqlite: "))", postgres: ")")
        }

        /// A lock clause, for PostgreSQL only: SQLite has one writer, so a transaction that writes locks everything.
        package mutating func appendInterpolation(lock clause: StaticString) {
            self.appendInterpolation(postgres: clause)
        }

        /// Text that differs between the databases.
        ///
        /// Prefer text that both understand.
        package mutating func appendInterpolation(sqlite: StaticString = "", postgres: StaticString = "") {
            self.sql.parts.append(.only(.sqlite, sqlite))
            self.sql.parts.append(.only(.postgres, postgres))
        }

        private mutating func append(_ value: SQLValue) {
            self.sql.parts.append(.value)
            self.sql.values.append(value)
        }
    }
}

package enum SQLDialect: Sendable {
    case sqlite
    case postgres
}

/// A parameter of a statement; `nil` is NULL.
///
/// PostgreSQL prepares a statement for the types of its parameters, so NULL has a type too.
package enum SQLValue: Sendable {
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8]?)

    /// A device token. In a sealed store, the connection seals it, to equal bytes each time.
    case token([UInt8]?)

    /// The content of a push. In a sealed store, the connection seals it, to other bytes each time.
    case content([UInt8]?)

    /// The content of a push as a text; see ``content(_:)``.
    case contentText(String?)

    /// A UUID in PostgreSQL, 16 bytes in SQLite, in the same order.
    case id(APNsID?)

    /// An array of texts in PostgreSQL, JSON in SQLite.
    case texts([String])

    /// An array of integers in PostgreSQL, JSON in SQLite.
    case integers([Int64])
}
