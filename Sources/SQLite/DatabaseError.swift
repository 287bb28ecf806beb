// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite

/// A failure that SQLite reports.
package struct DatabaseError: Error, CustomStringConvertible {
    /// The result code with its details, such as which constraint failed.
    package let extendedResultCode: ResultCode

    /// The message of the connection; it names tables and columns, never values.
    package let message: String

    /// The statement that failed, without its arguments.
    package let sql: String?

    /// The result code without its details.
    package var resultCode: ResultCode { self.extendedResultCode.primary }

    package var description: String {
        let statement = self.sql.map { " - while executing `\($0)`" } ?? ""
        return "SQLite error \(self.extendedResultCode.rawValue): \(self.message)\(statement)"
    }

    init(_ code: ResultCode, _ message: String, sql: String? = nil) {
        self.extendedResultCode = code
        self.message = message
        self.sql = sql
    }

    /// A failed call on a connection, which has the details if its last failure is this one.
    init(_ connection: OpaquePointer?, _ code: Int32, sql: String? = nil) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        guard extended & 0xff == code & 0xff, let connection, let message = sqlite3_errmsg(connection) else {
            self.init(ResultCode(rawValue: code), sqlite3_errstr(code).map { String(cString: $0) } ?? "", sql: sql)
            return
        }
        self.init(ResultCode(rawValue: extended), String(cString: message), sql: sql)
    }
}

/// A result code of SQLite; see <https://www.sqlite.org/rescode.html>.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its details.
    package var primary: ResultCode { ResultCode(rawValue: self.rawValue & 0xff) }

    private func extended(_ detail: Int32) -> ResultCode { ResultCode(rawValue: self.rawValue | detail << 8) }

    package static let auth = ResultCode(rawValue: SQLITE_AUTH)
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    package static let constraintForeignKey = constraint.extended(3)
    package static let constraintPrimaryKey = constraint.extended(6)
    package static let constraintUnique = constraint.extended(8)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let error = ResultCode(rawValue: SQLITE_ERROR)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
    package static let ioError = ResultCode(rawValue: SQLITE_IOERR)
    package static let ioErrorWrite = ioError.extended(3)
    package static let ioErrorFsync = ioError.extended(4)
    package static let ioErrorTruncate = ioError.extended(6)
    package static let ioErrorShmSize = ioError.extended(19)
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    package static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
    package static let permission = ResultCode(rawValue: SQLITE_PERM)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
}
