// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLRows {
    /// Assignments of some of the columns, for SET.
    func assignments(_ columns: Range<Int>) -> SQL {
        SQL(columns.map { "\(SQL(stringLiteral: self.names[$0])) = \(self.value($0))" }, separator: ", ")
    }

    /// A condition: some of the columns have the values that the row of a table has.
    func matches(_ table: StaticString, _ columns: Range<Int>) -> SQL {
        let table = SQL(stringLiteral: table)
        return SQL(
            columns.map { "\(table).\(SQL(stringLiteral: self.names[$0])) IS NOT DISTINCT FROM \(self.value($0))" },
            separator: " AND "
        )
    }

    /// The values of all columns, for an INSERT that names its own columns.
    var selection: SQL {
        """
        \(sqlite: "VALUES (", postgres: "SELECT ")\(SQL(self.names.indices.map { self.value($0) }, separator: ", "))\
        \(sqlite: ")")\(" FROM ", self)
        """
    }

    private func value(_ column: Int) -> SQL { SQL(.column(column), of: self) }
}
