// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLDatabase {
    /// Executes a read of many rows, whose statements all see one state of the database.
    ///
    /// At most half of the connections to PostgreSQL execute scans.
    package func scan<Value: Sendable>(
        operation: StaticString = #function,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.driver.runRead(.scan, operation, body)
    }
}

extension SQL {
    /// The statement for one execution: the database plans it for these values, and the connection does not keep it.
    ///
    /// For statements whose text is rarely the same twice, or whose best plan depends on the values.
    package var once: SQL {
        var sql = self
        sql.isKept = false
        return sql
    }
}
