// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Reads something of a table; `nil` if it is corrupt, which is reported.
///
/// `id` names it in the log.
/// - Throws: what the body throws for any other reason.
package func readable<Value>(
    _ id: some CustomStringConvertible,
    in table: String,
    _ body: () throws -> Value
) throws -> Value? {
    do {
        return try body()
    } catch let error as StoreError where error.code == .corrupt {
        CorruptRowLog.current?.report(id.description, in: table, error)
        return nil
    }
}

/// Reads what there is under some keys of a table; where something of it is corrupt, the rest all the same.
///
/// A key whose value is corrupt is reported, and passed to `onDamage`.
/// - Throws: what the body throws for any other reason.
package func readable<Key: CustomStringConvertible, Row>(
    _ keys: [Key],
    in table: String,
    onDamage: (Key) -> Void = { _ in },
    _ body: ([Key]) throws -> [Row]
) throws -> [Row] {
    do {
        return try body(keys)
    } catch let error as StoreError where error.code == .corrupt {
        guard keys.count > 1 else {
            for key in keys {
                CorruptRowLog.current?.report(key.description, in: table, error)
                onDamage(key)
            }
            return []
        }
    }
    let middle = keys.count / 2
    return try readable(Array(keys[..<middle]), in: table, onDamage: onDamage, body)
        + readable(Array(keys[middle...]), in: table, onDamage: onDamage, body)
}

extension StoredRow {
    /// Reads the row of a table; `nil` if it is corrupt, which is reported.
    ///
    /// `onDamage` is for callers that have to store the reason.
    /// - Throws: what the closures throw for any other reason.
    package func readable<Value>(
        in table: String,
        onDamage: (StoreError) throws -> Void = { _ in },
        _ body: (Self) throws -> Value
    ) throws -> Value? {
        do {
            return try body(self)
        } catch let error as StoreError where error.code == .corrupt {
            CorruptRowLog.current?.report(self.names, in: table, error)
            try onDamage(error)
            return nil
        }
    }

    /// Names the row in a log: the columns by which people find it, as far as it has them.
    private var names: String {
        let names = ["app_id", "id", "number"].compactMap { column in self.name(column).map { "\(column) \($0)" } }
        return names.isEmpty ? "unknown" : names.joined(separator: ", ")
    }

    /// The value of a column for people; `nil` if there is none.
    private func name(_ column: String) -> String? {
        // PostgreSQL gives the bytes of every column, so bytes and numbers come as texts with control characters.
        if let text = try? self.text(column), text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\u{FFFD}" }) {
            return text
        }
        if let bytes = try? self.bytes(column), let id = APNsID(stored: bytes) { return id.description }
        return (try? self.integer(column)).map { "\($0)" }
    }
}

extension Sequence where Element: StoredRow {
    /// What can be read of the rows of a table, in their order; a corrupt row is skipped and reported.
    ///
    /// - Throws: what the body throws for any other reason.
    package func mapReadable<Value>(in table: String, _ body: (Element) throws -> Value) throws -> [Value] {
        try self.compactMap { try $0.readable(in: table, body) }
    }
}

extension Page {
    /// Cuts a page from the rows of a table, one more of which was asked for than the page may hold.
    ///
    /// A corrupt row is skipped and reported. The list goes on behind it, because `cursor` reads no more of a row than
    /// its place.
    package init<Row: StoredRow>(
        overfull rows: [Row],
        in table: String,
        limit: Int,
        cursor: (Row) throws -> Cursor,
        _ body: (Row) throws -> Element
    ) throws {
        self.init(
            elements: try rows.prefix(limit).mapReadable(in: table, body),
            next: rows.count > limit ? try cursor(rows[limit - 1]) : nil
        )
    }
}
