// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLStore

/// A transaction on SQLite that fails where the same transaction would fail on PostgreSQL.
///
/// After a statement failed, all later statements and the commit fail. An upsert of rows with equal keys fails too.
final class StrictConnection: SQLConnection {
    private let connection: any SQLConnection
    private var hasFailed = false

    var dialect: SQLDialect { self.connection.dialect }

    init(_ connection: any SQLConnection) {
        self.connection = connection
    }

    func run(_ sql: SQL) throws -> any SQLResult {
        try self.execute {
            try sql.checkKeys()
            return try self.connection.run(sql)
        }
    }

    func each(_ sql: SQL, _ body: (StoredRow) throws -> Void) throws {
        // PostgreSQL has completed the statement before its rows are decoded.
        var isDecoding = false
        try self.execute(isFailure: { !isDecoding }) {
            try sql.checkKeys()
            try self.connection.each(sql) { row in
                isDecoding = true
                try body(row)
                isDecoding = false
            }
        }
    }

    func commit() throws {
        try self.execute { try self.connection.commit() }
    }

    private func execute<Value>(isFailure: () -> Bool = { true }, _ body: () throws -> Value) throws -> Value {
        if self.hasFailed {
            throw StoreError(
                code: .invalid,
                message:
                    "An earlier statement of the transaction failed. Do not catch its failure: PostgreSQL executes "
                    + "nothing more in the transaction."
            )
        }
        do {
            return try body()
        } catch {
            if isFailure() { self.hasFailed = true }
            throw error
        }
    }
}

extension SQL {
    /// Throws if PostgreSQL would fail with SQLSTATE 21000, because an upsert has rows with equal keys.
    ///
    /// The text for PostgreSQL has the names of the columns.
    fileprivate func checkKeys() throws {
        let upsert = #/AS \w+ \((.+), row_position\)[\s\S]*ON CONFLICT \((.+)\) DO UPDATE/#
        guard let rows = self.rows, let match = self.text(for: .postgres).firstMatch(of: upsert) else { return }
        let keys = match.2.split(separator: ", ")
        let columns = self.parameters(for: .postgres).compactMap { parameter -> [SQLValue]? in
            if case .column(let values) = parameter { values } else { nil }
        }
        let compared = zip(match.1.split(separator: ", "), columns).filter { keys.contains($0.0) }
        guard Set((0..<rows.count).map { row in compared.map { "\($0.1[row])" } }).count < rows.count else { return }
        throw StoreError(
            code: .invalid,
            message: "Two rows have the same key (\(match.2)). PostgreSQL updates no row twice; pass each key once."
        )
    }
}
