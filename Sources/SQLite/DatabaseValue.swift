// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite

/// A value in a column or of a parameter, with the type that SQLite stores.
package enum DatabaseValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The integer; `nil` for all other types.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The text; `nil` for all other types.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Copies the value of a column in the current row, and repairs text that is not UTF-8.
    init(_ statement: OpaquePointer, column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            // In this order: the first call may move the text, and the second one measures it.
            guard let text = sqlite3_column_text(statement, column) else {
                self = .null
                return
            }
            let count = Int(sqlite3_column_bytes(statement, column))
            self = .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_column_blob(statement, column)
            let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
            self = .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        default: self = .null
        }
    }
}

/// The arguments of a statement, one for each parameter; `nil` is NULL.
package typealias StatementArguments = [(any StatementArgument)?]

extension Int64: StatementArgument {
    package var databaseValue: DatabaseValue { .integer(self) }
}

extension Int: StatementArgument {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}

extension Bool: StatementArgument {
    package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}

extension String: StatementArgument {
    package var databaseValue: DatabaseValue { .text(self) }
}

extension [UInt8]: StatementArgument {
    package var databaseValue: DatabaseValue { .blob(self) }
}
