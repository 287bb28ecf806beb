// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Logging
import Synchronization

/// Tells of the jobs that lists leave out, since they cannot be read: of each once, however often lists are asked for.
package final class DamagedJobLog: Sendable {
    /// Of how many jobs it tells; those behind them are left out all the same.
    private static let maximum = 1000

    private let logger: Logger
    private let told = Mutex<Set<Int64>>([])

    /// Tells a logger.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// The job of a row of a list; `nil` for one that cannot be read.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when not even its number can be read.
    package func job(stored row: some StoredRow) throws -> JobRow? {
        if let job = try readable({ try JobRow(stored: row) }) { return job }
        let number = Int64(try row.number("number"))
        let isNew = self.told.withLock { $0.count < Self.maximum && $0.insert(number).inserted }
        if isNew { self.logger.error("A damaged job is left out of lists", metadata: JobRow.names(stored: row)) }
        return nil
    }
}

extension JobRow {
    /// By what a log tells of a job that cannot be read.
    package static func names(stored row: some StoredRow) -> Logger.Metadata {
        func text(_ column: String) -> String { (try? row.text(column)) ?? "?" }
        return ["app": "\(text("app_id"))", "job": "\(text("id"))"]
    }
}
