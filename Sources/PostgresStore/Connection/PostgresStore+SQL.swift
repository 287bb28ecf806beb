// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore
public import SQLStore
import Synchronization

extension PostgresStore: SQLOperations, SQLDriver {
    public var sql: SQLDatabase { SQLDatabase(self) }

    /// Half of the connections, so that other calls find one.
    package var writersAtOnce: Int { max(1, self.connections / 2) }

    package func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.run(ConnectionSlot.Policy(isCancellable: true, isScan: kind == .scan)) { connection in
            guard kind == .snapshot || kind == .scan else { return try body(connection) }
            do {
                return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") { try body($0) }
            } catch var failure as PostgresError {
                // Nothing was to be stored.
                failure.isUncertain = false
                throw failure
            }
        }
    }

    package func runLookUp<Value: Sendable>(
        _ sql: SQL,
        _ operation: StaticString,
        _ decode: @escaping @Sendable ([StoredRow]) throws -> Value
    ) async throws -> Value {
        let found = try await self.lookUps.run(sql) { statements, waitsBriefly in
            // A task that is cancelled must not fail the look-ups of others.
            let policy = ConnectionSlot.Policy(isCancellable: statements.count == 1)
            do {
                return try await self.run(policy) { connection in
                    // All are sent before the first response is awaited, so they are one transaction for PostgreSQL.
                    if waitsBriefly { try connection.queue("SELECT set_config('lock_timeout', '100', true)") }
                    let results = try statements.map { try connection.run($0) }
                    return try results.map { FoundRows(rows: try $0.rows) }
                }
            } catch let error as StoreError where statements.count > 1 {
                // An error of a statement concerns one look-up, so each is executed alone then.
                guard let failure = error.cause as? PostgresError, case .statement = failure.kind else { throw error }
                throw failure
            }
        }
        return try self.corruptRows.observe { try decode(found.rows) }
    }

    package func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        storedRow: (@Sendable (Value) -> SQL?)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        guard let storedRow else {
            return try await self.write(retriesDuplicates: retriesConflicts) { try body($0, &$1) }
        }
        // The result of the last run before its commit.
        let latest = Mutex<(Value, [StoreChange])?>(nil)
        do {
            return try await self.write(retriesDuplicates: retriesConflicts) { connection, changes in
                let value = try body(connection, &changes)
                latest.withLock { $0 = (value, changes) }
                return value
            }
        } catch let error as StoreError where (error.cause as? PostgresError)?.isUncertain == true {
            guard let (value, changes) = latest.withLock({ $0 }), let row = storedRow(value), await self.finds(row)
            else { throw error }
            self.signal(changes)
            return value
        }
    }
}

/// The rows of a look-up, for the thread that decodes them.
///
/// `@unchecked Sendable`: the connection keeps no reference, and libpq does not change a result after its creation.
/// See <https://www.postgresql.org/docs/current/libpq-threading.html>.
struct FoundRows: @unchecked Sendable {
    let rows: [StoredRow]
}

extension PostgresConnection: SQLConnection {
    var dialect: SQLDialect { .postgres }

    @discardableResult
    func run(_ sql: SQL) throws -> any SQLResult {
        if sql.rows?.count == 0 { return SQLCompletedResult() }
        let parameters = sql.rows == nil ? sql.values.map { SQLParameter.value($0) } : sql.parameters(for: .postgres)
        return PendingResult(reply: try self.queue(sql.text(for: .postgres), parameters: parameters), connection: self)
    }

    func query(_ sql: SQL) throws -> any SQLResult {
        let reply = try self.queueOnce(sql.text(for: .postgres), sql.parameters(for: .postgres))
        return PendingResult(reply: reply, connection: self)
    }
}

private struct PendingResult: SQLResult {
    let reply: PendingQueryResult
    let connection: PostgresConnection

    var rows: [StoredRow] { get throws { try self.received()?.rows ?? [] } }

    var changes: Int { get throws { try self.received()?.changes ?? 0 } }

    private func received() throws -> PostgresResult? {
        if self.reply.result == nil { try self.connection.receive() }
        return self.reply.result
    }
}
