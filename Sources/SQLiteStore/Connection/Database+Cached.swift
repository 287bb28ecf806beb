// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import GRDB
import PushModel

extension Database {
    /// Runs a statement that gives no rows; it is compiled once for each connection.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try self.cachedStatement(sql: sql).execute(arguments: arguments)
        return self.changesCount
    }

    /// The rows that a statement gives; it is compiled once for each connection.
    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(self.cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first row that a statement gives; it is compiled once for each connection.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(self.cachedStatement(sql: sql), arguments: arguments)
    }
}

extension Row {
    /// A time, stored as milliseconds since 1970.
    func date(_ column: String) -> Date { Date(millisecondsSince1970: self[column]) }

    /// A time that may be absent.
    func optionalDate(_ column: String) -> Date? {
        (self[column] as Int64?).map { Date(millisecondsSince1970: $0) }
    }

    /// Bytes; none when there are none.
    func bytes(_ column: String) -> [UInt8] { [UInt8](self[column] as Data? ?? Data()) }
}
