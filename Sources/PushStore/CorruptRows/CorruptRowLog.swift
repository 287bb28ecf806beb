// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Logging
package import Metrics
import Synchronization

/// Reports the corrupt rows that a store skips.
///
/// Each one is counted by `apus_store_corrupt_rows_total`. The log gets one line for each table and minute, because
/// lists meet the same row whenever they are read.
package final class CorruptRowLog: Sendable {
    /// The log of the store whose transaction this thread runs; `nil` outside of transactions.
    @TaskLocal static var current: CorruptRowLog?

    private struct Entry {
        var id = ""
        var count = 0
        var notBefore: ContinuousClock.Instant
    }

    private static let interval = Duration.seconds(60)

    private let logger: Logger
    private let metrics: any MetricsFactory
    private let now: @Sendable () -> ContinuousClock.Instant
    private let entries = Mutex<[String: Entry]>([:])

    package init(
        _ logger: Logger,
        metrics: any MetricsFactory,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.logger = logger
        self.metrics = metrics
        self.now = now
    }

    /// Runs a transaction, and reports the corrupt rows that it skips.
    package func observe<Value>(_ transaction: () throws -> Value) rethrows -> Value {
        try Self.$current.withValue(self) { try transaction() }
    }

    /// Counts a corrupt row, and logs it unless its table had a line within the last minute.
    func report(_ id: String, in table: String, _ error: StoreError) {
        Counter(label: "apus_store_corrupt_rows_total", dimensions: [("table", table)], factory: self.metrics)
            .increment()
        guard let line = self.line(id, in: table) else { return }
        self.logger.error(
            "Skipped corrupt rows",
            metadata: ["table": "\(table)", "first": "\(line.id)", "rows": "\(line.count)", "error": "\(error)"]
        )
    }

    /// Logs that this transaction ended a corrupt item as failed; `key` names its ID in the metadata.
    package static func logFailure(of item: String, key: String, _ id: String) {
        Self.current?.logger.error("Failed a corrupt \(item)", metadata: [key: "\(id)"])
    }

    /// Adds a row to those of its table; returns them if a line is due.
    private func line(_ id: String, in table: String) -> Entry? {
        let now = self.now()
        return self.entries.withLock { entries in
            var entry = entries[table] ?? Entry(notBefore: now)
            if entry.count == 0 { entry.id = id }
            entry.count += 1
            let isDue = entry.notBefore <= now
            entries[table] = isDue ? Entry(notBefore: now + Self.interval) : entry
            return isDue ? entry : nil
        }
    }
}

/// Reads something of a table that `id` names in the log; `nil` if it is corrupt, which is reported.
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

/// Reads the values of some keys of a table; a corrupt one is reported, and its key is passed to `onDamage`.
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
    /// Reads the row of a table; `nil` if it is corrupt, which is reported and passed to `onDamage`.
    package func readable<Value>(
        in table: String,
        onDamage: (StoreError) throws -> Void = { _ in },
        _ body: (StoredRow) throws -> Value
    ) throws -> Value? {
        do {
            return try body(self)
        } catch let error as StoreError where error.code == .corrupt {
            CorruptRowLog.current?.report(self.names, in: table, error)
            try onDamage(error)
            return nil
        }
    }

    /// Identifies the row in a log, with the columns that operators can search for.
    private var names: String {
        let names = ["app_id", "id", "number"].compactMap { column in self.name(column).map { "\(column) \($0)" } }
        return names.isEmpty ? "unknown" : names.joined(separator: ", ")
    }

    private func name(_ column: String) -> String? {
        // PostgreSQL gives the bytes of every column, so bytes and numbers come as texts with control characters.
        if let text = try? self.text(column), text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\u{FFFD}" }) {
            return text
        }
        if let bytes = try? self.bytes(column), let id = APNsID(stored: bytes) { return id.description }
        return (try? self.integer(column)).map { "\($0)" }
    }
}

extension Sequence where Element == StoredRow {
    /// Returns the decoded rows of a table, in their order; skips and reports corrupt rows.
    package func mapReadable<Value>(in table: String, _ body: (StoredRow) throws -> Value) throws -> [Value] {
        try self.compactMap { try $0.readable(in: table, body) }
    }
}

extension Page {
    /// Cuts a page from rows, one more than its limit; a corrupt row is skipped, because `cursor` reads only its place.
    package init(
        overfull rows: [StoredRow],
        in table: String,
        limit: Int,
        cursor: (StoredRow) throws -> Cursor,
        _ body: (StoredRow) throws -> Element
    ) throws {
        self.init(
            elements: try rows.prefix(limit).mapReadable(in: table, body),
            next: rows.count > limit ? try cursor(rows[limit - 1]) : nil
        )
    }
}
