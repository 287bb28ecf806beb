// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SQLite
import Synchronization

/// Copies what was committed from SQLite's log into the database, on a connection of its own beside those who write.
///
/// By itself SQLite does so within a commit now and then, for which everyone who writes waits tens of milliseconds. The
/// log begins anew once all of it is copied, which nobody may write to meanwhile; so the last few pages are copied
/// between two commits. SQLite syncs the database file at that moment, which takes long if many pages were copied. So
/// they are synced beside the commits, too.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue

    /// A connection that only syncs.
    ///
    /// Linux reports a failed write once to each file handle, and the handle that copies the last page must learn of it.
    private let syncing: DatabaseQueue
    private let log = Mutex(WriteLog())

    /// Watches the log of a pool's writer, which does not copy by itself any more.
    init(of pool: DatabasePool, configuration: DatabaseConfiguration) throws {
        self.queue = DatabaseQueue(path: pool.path, configuration: configuration)
        self.syncing = DatabaseQueue(path: pool.path, configuration: configuration)
        try pool.writer.performAndWait { database in
            try database.onCommit { pages in self.log.withLock { $0.grow(to: pages) } }
        }
    }

    /// Ends what is under way and closes the connections; the pool has to be closed before.
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

    /// Copies what no reader holds up; what fails is left to the next round.
    private func copy(_ body: () throws -> Int) {
        let copied = try? body()
        self.log.withLock { $0.endCopying(through: copied) }
    }
}

/// How long SQLite's log is, how much of it is copied into the database, and when to copy more: a value without either.
///
/// Unit of all lengths: pages.
struct WriteLog {
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

    /// What to do after a commit.
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

    /// A commit has made the log so long; a log that has become shorter has begun anew.
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

    /// Ends what ``next()`` began; `nil` if it failed.
    mutating func endCopying(through length: Int?) {
        self.isBeingCopied = false
        // The log may have begun anew meanwhile.
        if let length { self.copied = min(max(0, length), self.length) }
    }
}
