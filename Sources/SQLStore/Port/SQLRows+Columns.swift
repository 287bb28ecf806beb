// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLRows {
    /// Assignments of some of the columns, for SET.
    func assignments(_ columns: Range<Int>) -> SQL {
        let assignments = columns.map { column -> SQL in
            "\(SQL(stringLiteral: self.names[column])) = \(SQL(.column(column), of: self))"
        }
        return SQL(assignments, separator: ", ")
    }

    /// A condition: some of the columns have the values that the row of a table has.
    func matches(_ table: StaticString, _ columns: Range<Int>) -> SQL {
        let comparisons = columns.map { column -> SQL in
            let name = SQL(stringLiteral: self.names[column])
            return "\(SQL(stringLiteral: table)).\(name) IS NOT DISTINCT FROM \(SQL(.column(column), of: self))"
        }
        return SQL(comparisons, separator: " AND ")
    }
}
