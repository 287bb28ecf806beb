// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SQLite
import Synchronization

/// Checkpoints the WAL of SQLite on a separate connection, concurrently with the writer.
///
/// SQLite's automatic checkpoint runs within a commit, and delays all writers for tens of milliseconds. The WAL
/// restarts when all of it is copied and no connection writes to it, so the last pages are copied between two commits.
/// SQLite syncs the database file at that moment, which takes long if many pages were copied, so this type also syncs
/// concurrently with the commits.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue

    /// A connection that only syncs.
    ///
    /// Linux reports a failed write once to each file handle, and the handle that copies the last page must learn of
    /// it.
    private let syncing: DatabaseQueue
    private let log = Mutex(WALState())

    /// Observes the WAL of a pool's writer, whose automatic checkpoint is disabled.
    init(of pool: DatabasePool, configuration: DatabaseConfiguration) throws {
        self.queue = DatabaseQueue(path: pool.path, configuration: configuration)
        self.syncing = DatabaseQueue(path: pool.path, configuration: configuration)
        try pool.writer.performAndWait { database in
            try database.onCommit { pages in self.log.withLock { $0.grow(to: pages) } }
        }
    }

    /// Ends the current checkpoint and closes the connections; close the pool first.
    func close() {
        try? self.queue.performAndWait { _ in }
        // The last connection to be closed copies the rest of the log.
        self.syncing.close()
        self.queue.close()
    }

    /// Looks after a commit, where it was made, whether there is enough to copy.
    func lookAround(_ database: Database) {
        switch self.log.withLock({ $0.next() }) {
        case .nothing: break
        case .copyHere: self.copy { try database.checkpoint() }
        case .copyBeside:
            self.queue.enqueue { database in
                self.copy {
                    let copied = try database.checkpoint()
                    // If it fails, the sync after the last page fails, too.
                    try? self.syncing.performAndWait { try $0.sync() }
                    return copied
                }
            }
        }
    }

    /// Copies the pages that no reader blocks; the next checkpoint retries after a failure.
    private func copy(_ body: () throws -> Int) {
        let copied = try? body()
        self.log.withLock { $0.endCopying(through: copied) }
    }
}

/// The length of the WAL, and the part that is copied: a pure state machine that decides when to copy more.
///
/// Unit of all lengths: pages.
struct WALState {
    /// The shortest log that is copied.
    ///
    /// Commits write some pages again and again. The longer the log, the fewer copies of them.
    static let threshold = 8192

    /// The smallest number of pages that is copied beside the commits; each round flushes the disk.
    static let round = 1024

    /// The largest number of pages that is copied between two commits, so that the log begins again.
    ///
    /// More than the commits of one round write under load. Otherwise the log would grow to its limit.
    static let remainder = 256

    /// How long the log may get before a commit waits until all of it is copied.
    static let limit = 16_384

    /// The action after a commit.
    enum Step: Hashable {
        case nothing
        /// Copy before the next commit.
        case copyHere
        /// Copy while others commit.
        case copyBeside
    }

    private var length = 0
    private var copied = 0

    /// The length at the last attempt to copy beside the commits.
    private var attempted = 0
    private var isBeingCopied = false

    /// Records the length of the WAL after a commit; a shorter WAL has restarted.
    mutating func grow(to length: Int) {
        if length < self.length { (self.copied, self.attempted) = (0, 0) }
        self.length = length
    }

    mutating func next() -> Step {
        let left = self.length - self.copied
        guard self.length >= Self.threshold, left > 0, !self.isBeingCopied else { return .nothing }
        if left <= Self.remainder || self.length >= Self.limit { return .copyHere }
        // A reader may need the log; then each attempt would sync for nothing.
        guard left >= Self.round, self.length - self.attempted >= Self.round else { return .nothing }
        self.attempted = self.length
        self.isBeingCopied = true
        return .copyBeside
    }

    /// Records the end of the action of ``next()``; `nil` if it failed.
    mutating func endCopying(through length: Int?) {
        self.isBeingCopied = false
        // The WAL may have restarted meanwhile.
        if let length { self.copied = min(max(0, length), self.length) }
    }
}
