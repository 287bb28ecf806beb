// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLExecutor {
    /// Executes a statement of PostgreSQL that only locks, without a wait for it.
    ///
    /// SQLite skips it: it has one writer, so a transaction that writes locks everything.
    package func lock(_ sql: SQL) throws {
        if self.dialect == .postgres { try self.run(sql) }
    }
}
