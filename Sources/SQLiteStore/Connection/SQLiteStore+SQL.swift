// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore
public import SQLStore
package import SQLite

extension SQLiteStore: SQLOperations {
    public var sql: SQLDatabase { SQLDatabase(self) }
}

extension SQLiteStore: SQLDriver {
    package func runRead<Value: Sendable>(
        isLookUp: Bool,
        _ body: @escaping @Sendable (any SQLExecutor) throws -> Value
    ) async throws -> Value {
        try await isLookUp ? self.lookUp { try body($0) } : self.read { try body($0) }
    }

    package func runWrite<Value: Sendable>(
        in lane: Lane,
        retriesConflicts: Bool,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.write(in: lane) { try body($0, &$1) }
    }
}

extension Database: SQLConnection {
    package var dialect: SQLDialect { .sqlite }

    @discardableResult
    package func run(_ sql: SQL) throws -> SQLResult {
        let changes = try self.run(sql.text(for: .sqlite), sql.arguments)
        return SQLResult { changes }
    }

    package func rows(_ sql: SQL) throws -> [SQLRow] {
        try self.rows(sql.text(for: .sqlite), sql.arguments).map { SQLRow($0) }
    }

    package func first(_ sql: SQL) throws -> SQLRow? {
        try self.row(sql.text(for: .sqlite), sql.arguments).map { SQLRow($0) }
    }

    package func append(_ events: [EventDraft], app: Int64) throws {
        for event in events { try self.insert(event, app: app) }
    }

    /// The write queue commits, several changes at once.
    package func commit() throws {}
}

extension SQL {
    /// Not the conversion of the array, which takes five times as long.
    fileprivate var arguments: StatementArguments { self.values.map { value -> (any StatementArgument)? in value } }
}

extension SQLValue: StatementArgument {
    package var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number): number.map { .integer($0) } ?? .null
        case .text(let text): text.map { .text($0) } ?? .null
        case .bytes(let bytes): bytes.map { .blob($0) } ?? .null
        case .id(let id): id.map { .blob($0.stored) } ?? .null
        }
    }
}

extension Database {
    // Operations that do not use the port yet call these without an import of `SQLStore`.

    func number(of app: AppID) throws -> Int64? { try (self as any SQLExecutor).number(of: app) }

    func requiredNumber(of app: AppID) throws -> Int64 { try (self as any SQLExecutor).lockedNumber(of: app) }
}
