// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB

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
