// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel
package import PushStore
public import SQLStore
package import SQLite

extension SQLiteStore: SQLOperations {
    public var sql: SQLDatabase { SQLDatabase(self) }
}

extension SQLiteStore: SQLDriver {
    package func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        switch kind {
        case .statements, .snapshot: try await self.read { try body($0) }
        case .lookUp: try await self.lookUp { try body($0) }
        }
    }

    package func runWrite<Value: Sendable>(
        _ operation: StaticString,
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
    package func run(_ sql: SQL) throws -> any SQLResult {
        var rows: [SQLRow] = []
        let statement = try self.cachedStatement(sql.text(for: .sqlite))
        let changes = try statement.run(sql.arguments) { rows.append(SQLRow($0.copy())) }
        return CompletedResult(rows: rows, changes: changes)
    }

    package func append(_ events: [EventDraft], app: Int64) throws {
        for event in events { try self.insert(event, app: app) }
    }

    /// The owner of the connection commits, several calls at once.
    package func commit() throws {}
}

private struct CompletedResult: SQLResult {
    let rows: [SQLRow]
    let changes: Int
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
        case .texts(let texts):
            (try? JSONEncoder().encode(texts)).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
        }
    }
}

extension Database {
    // Operations that do not use the port yet call these without an import of `SQLStore`.

    func number(of app: AppID) throws -> Int64? { try (self as any SQLExecutor).number(of: app) }

    func requiredNumber(of app: AppID) throws -> Int64 { try (self as any SQLExecutor).lockedNumber(of: app) }
}
