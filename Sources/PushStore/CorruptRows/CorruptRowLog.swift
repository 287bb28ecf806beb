// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Logging
package import Metrics
import Synchronization

/// Reports the corrupt rows that a store skips.
///
/// Each one is counted by `apus_store_corrupt_rows_total`. The log gets one line for each table and minute, because
/// lists meet the same row whenever they are read.
package final class CorruptRowLog: Sendable {
    /// The log of the store whose transaction this thread runs; `nil` outside of transactions.
    ///
    /// So a function that reads rows does not have to know the store.
    @TaskLocal static var current: CorruptRowLog?

    /// The rows of one table since its last line.
    private struct Entry {
        /// The first of them.
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

    /// Logs that the transaction of this thread ended a corrupt item as failed.
    ///
    /// `key` is the name of the ID in the metadata.
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
