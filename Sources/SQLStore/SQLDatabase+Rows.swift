// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

extension SQLDatabase {
    /// Whether a statement finds a row.
    ///
    /// Callers that usually find nothing to do ask before they write: this takes no lock and waits for no disk flush.
    func finds(_ sql: SQL, operation: StaticString = #function) async throws -> Bool {
        try await self.read(operation: operation) { try $0.first(sql) != nil }
    }

    /// Decodes the first row of a statement; `nil` if there is none.
    func first<Value: Sendable>(
        _ sql: SQL,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable (SQLRow) throws -> Value
    ) async throws -> Value? {
        try await self.read(operation: operation) { try $0.first(sql).map(decode) }
    }

    /// Decodes rows of a table; corrupt ones are skipped and reported.
    func list<Value: Sendable>(
        _ sql: SQL,
        in table: String,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable (SQLRow) throws -> Value
    ) async throws -> [Value] {
        try await self.read(operation: operation) { try $0.rows(sql).mapReadable(in: table, decode) }
    }

    /// Decodes a page of rows of a table; see ``SQLExecutor/page(_:in:limit:cursor:_:)``.
    func page<Value: Sendable, Cursor: Hashable & Sendable>(
        _ sql: SQL,
        in table: String,
        limit: Int,
        cursor: @escaping @Sendable (SQLRow) throws -> Cursor,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable (SQLRow) throws -> Value
    ) async throws -> Page<Value, Cursor> {
        try await self.read(operation: operation) {
            try $0.page(sql, in: table, limit: limit, cursor: cursor, decode)
        }
    }
}

extension SQLExecutor {
    /// Decodes a page of rows of a table; corrupt ones are skipped and reported.
    ///
    /// The statement ends before its LIMIT.
    func page<Value: Sendable, Cursor: Hashable & Sendable>(
        _ sql: SQL,
        in table: String,
        limit: Int,
        cursor: (SQLRow) throws -> Cursor,
        _ decode: (SQLRow) throws -> Value
    ) throws -> Page<Value, Cursor> {
        let limit = PageLimit.clamp(limit)
        let rows = try self.rows("\(sql) LIMIT \(limit + 1)")
        return try Page(overfull: rows, in: table, limit: limit, cursor: cursor, decode)
    }
}
