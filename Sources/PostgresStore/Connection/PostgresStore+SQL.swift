// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore
public import SQLStore

extension PostgresStore: SQLOperations {
    public var sql: SQLDatabase { SQLDatabase(self) }
}

extension PostgresStore: SQLDriver {
    package func runRead<Value: Sendable>(
        isLookUp: Bool,
        _ body: @escaping @Sendable (any SQLExecutor) throws -> Value
    ) async throws -> Value {
        try await self.read { try body($0) }
    }

    package func runWrite<Value: Sendable>(
        in lane: Lane,
        retriesConflicts: Bool,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.write(retriesDuplicates: retriesConflicts) { try body($0, &$1) }
    }
}

extension PostgresConnection: SQLConnection {
    var dialect: SQLDialect { .postgres }

    @discardableResult
    func run(_ sql: SQL) throws -> SQLResult {
        let reply = try self.queue(sql)
        return SQLResult {
            if reply.result == nil { try self.receive() }
            return reply.changes
        }
    }

    func rows(_ sql: SQL) throws -> [SQLRow] {
        let reply = try self.queue(sql)
        try self.receive()
        return reply.rows.map { SQLRow($0) }
    }

    func first(_ sql: SQL) throws -> SQLRow? { try self.rows(sql).first }

    private func queue(_ sql: SQL) throws -> PostgresReply {
        try self.queue(sql.text(for: .postgres), sql.values.map { PostgresValue($0) })
    }
}

extension PostgresValue {
    fileprivate init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .id(let id): self = .id(id)
        }
    }
}

extension PostgresConnection {
    // Operations that do not use the port yet call these without an import of `SQLStore`.

    func number(of app: AppID) throws -> Int64? { try (self as any SQLExecutor).number(of: app) }

    func lockedNumber(of app: AppID) throws -> Int64 { try (self as any SQLExecutor).lockedNumber(of: app) }
}
