// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore

extension SQLDatabase {
    /// Executes a change in a transaction; see ``write(in:retriesConflicts:operation:_:)``.
    ///
    /// If PostgreSQL loses the connection with the response to the commit, `isStored` decides on another connection whether
    /// the database has what the body returned. The body must leave the commit to this call.
    package func write<Value: Sendable>(
        in lane: Lane = .urgent,
        isStored: @escaping @Sendable (any SQLExecutor, Value) throws -> Bool,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await self.driver.runWrite(operation, in: lane, isStored: isStored) { connection, changes in
            let transaction = SQLTransaction(connection)
            let value = try body(transaction)
            changes = try transaction.finish()
            return value
        }
    }
}

extension SQLDriver {
    /// A database in the same process loses no response.
    package func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        isStored: @escaping @Sendable (any SQLExecutor, Value) throws -> Bool,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.runWrite(operation, in: lane, retriesConflicts: false, body)
    }
}
