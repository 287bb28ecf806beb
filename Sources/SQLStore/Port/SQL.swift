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
    private enum Part {
        case text(StaticString)
        case only(SQLDialect, StaticString)
        case value
    }

    private var parts: [Part] = []

    /// The values of the parameters, in the order of the text.
    package private(set) var values: [SQLValue] = []

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

    /// The text in a dialect, with a placeholder for each value.
    package func text(for dialect: SQLDialect) -> String {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(512)
        var count = 0
        for part in self.parts {
            switch part {
            case .text(let text), .only(dialect, let text):
                text.withUTF8Buffer { utf8.append(contentsOf: $0) }
            case .only: break
            case .value:
                count += 1
                switch dialect {
                case .sqlite: utf8.append(UInt8(ascii: "?"))
                case .postgres: utf8.append(contentsOf: "$\(count)".utf8)
                }
            }
        }
        return String(decoding: utf8, as: UTF8.self)
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

        package mutating func appendInterpolation(_ number: Int?) { self.append(.integer(number.map(Int64.init))) }

        package mutating func appendInterpolation(_ text: String?) { self.append(.text(text)) }

        package mutating func appendInterpolation(_ bytes: [UInt8]?) { self.append(.bytes(bytes)) }

        package mutating func appendInterpolation(_ id: APNsID?) { self.append(.id(id)) }

        package mutating func appendInterpolation(_ id: (some TextIdentifier)?) { self.append(.text(id?.rawValue)) }

        package mutating func appendInterpolation(_ environment: APNsEnvironment) {
            self.appendInterpolation(environment.stored)
        }

        /// A time, stored in milliseconds since 1970.
        package mutating func appendInterpolation(_ time: Date?) {
            self.append(.integer(time?.millisecondsSince1970))
        }

        package mutating func appendInterpolation(_ part: SQL) {
            self.sql.parts += part.parts
            self.sql.values += part.values
        }

        /// A condition: `= value` for one of the texts.
        package mutating func appendInterpolation(in texts: [String]) {
            self.appendInterpolation(sqlite: "IN (SELECT value FROM json_each(", postgres: "= ANY (")
            self.append(.texts(texts))
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

/// A kind of database.
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

    /// A UUID in PostgreSQL, 16 bytes in SQLite, in the same order.
    case id(APNsID?)

    /// An array of texts in PostgreSQL, JSON in SQLite.
    case texts([String])
}
