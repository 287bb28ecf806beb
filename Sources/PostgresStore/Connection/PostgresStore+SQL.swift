// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore
public import SQLStore

extension PostgresStore: SQLOperations {
    public var sql: SQLDatabase { SQLDatabase(self) }
}

extension PostgresStore: SQLDriver {
    /// Half of the connections, so that other calls find one.
    package var writersAtOnce: Int { max(1, self.connections / 2) }

    package func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        switch kind {
        case .statements, .lookUp: try await self.read { try body($0) }
        case .snapshot: try await self.readSnapshot { try body($0) }
        case .scan: try await self.scan { try body($0) }
        }
    }

    package func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        isStored: (@Sendable (any SQLExecutor, Value) throws -> Bool)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        guard let isStored else {
            return try await self.write(retriesDuplicates: retriesConflicts) { try body($0, &$1) }
        }
        return try await self.write(
            retriesDuplicates: retriesConflicts,
            isStored: { try isStored($0, $1) },
            { try body($0, &$1) }
        )
    }
}

extension PostgresConnection: SQLConnection {
    var dialect: SQLDialect { .postgres }

    @discardableResult
    func run(_ sql: SQL) throws -> any SQLResult {
        var values = sql.values.map { PostgresValue($0) }
        if let rows = sql.rows {
            guard rows.count > 0 else { return SQLCompletedResult() }
            values = sql.parameters(for: .postgres).map { PostgresValue($0) }
        }
        let reply = try self.queue(sql.text(for: .postgres), values)
        return PendingResult(reply: reply, connection: self)
    }

    func query(_ sql: SQL) throws -> any SQLResult {
        let reply = try self.queueOnce(
            sql.text(for: .postgres),
            sql.parameters(for: .postgres).map { PostgresValue($0) }
        )
        return PendingResult(reply: reply, connection: self)
    }
}

private struct PendingResult: SQLResult {
    let reply: PostgresReply
    let connection: PostgresConnection

    var rows: [SQLRow] { get throws { try self.received().rows.map { SQLRow($0) } } }

    var changes: Int { get throws { try self.received().changes } }

    private func received() throws -> PostgresReply {
        if self.reply.result == nil { try self.connection.receive() }
        return self.reply
    }
}

extension PostgresValue {
    fileprivate init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .id(let id): self = .id(id)
        case .texts(let texts): self = .texts(texts)
        case .integers(let numbers): self = .integers(numbers)
        }
    }

    fileprivate init(_ parameter: SQLParameter) {
        switch parameter {
        case .value(let value): self.init(value)
        case .column(let values): self.init(column: values)
        }
    }

    /// An array.
    ///
    /// The first value has the type of all.
    private init(column values: [SQLValue]) {
        switch values.first {
        case .integer: self = .integers(values.map { if case .integer(let number) = $0 { number } else { nil } })
        case .bytes: self = .byteStrings(values.map { if case .bytes(let bytes) = $0 { bytes } else { nil } })
        case .id: self = .ids(values.map { if case .id(let id) = $0 { id } else { nil } })
        case .text, .texts, .integers, nil:
            self = .texts(values.map { if case .text(let text) = $0 { text } else { nil } })
        }
    }
}
