// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// A statement that is executed for each batch.
///
/// Its text is rendered once, and SQLite finds the prepared statement by ``number``, without a hash of the text. The
/// text names the values `$1`, `$2` and so on, first in this order, because SQLite numbers them by their first place.
package final class SQLStatement: Sendable {
    private static let count = Atomic(0)

    /// A number that no other statement of the process has.
    package let number: Int

    let template: SQL
    private let sqlite: String
    private let postgres: String

    /// Takes the text, which has no interpolated values.
    package init(_ text: SQL) {
        self.number = Self.nextNumber()
        self.template = text
        self.sqlite = text.text(for: .sqlite)
        self.postgres = text.text(for: .postgres)
    }

    package func text(for dialect: SQLDialect) -> String {
        dialect == .sqlite ? self.sqlite : self.postgres
    }

    /// The statement with its values; it cannot be a part of another one.
    package func callAsFunction(_ values: [SQLValue]) -> SQL { SQL(self, values) }

    static func nextNumber() -> Int { self.count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
