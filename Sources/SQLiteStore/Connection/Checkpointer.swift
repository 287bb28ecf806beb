// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB
import GRDBSQLite
import Synchronization

/// Copies what was committed from SQLite's log into the database, on a connection of its own beside those who write.
///
/// By itself SQLite does so within a commit now and then, for which everyone who writes waits tens of milliseconds. The
/// log begins anew once all of it is copied, which nobody may write to meanwhile; so the last few pages are copied
/// between two commits.
final class Checkpointer: Sendable {
    private let queue: DatabaseQueue
    private let log = Mutex(WriteLog())

    /// Watches the log of a pool's writer, which does not copy by itself any more.
    init(of pool: DatabasePool, configuration: Configuration) throws {
        self.queue = try DatabaseQueue(path: pool.path, configuration: configuration)
        pool.writeWithoutTransaction { database in
            let context = Unmanaged.passUnretained(self).toOpaque()
            // It lives as long as the writer: both belong to the store.
            sqlite3_wal_hook(
                database.sqliteConnection,
                { context, _, _, pages in
                    guard let context else { return SQLITE_OK }
                    let checkpointer = Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
                    checkpointer.log.withLock { $0.grow(to: Int(pages)) }
                    return SQLITE_OK
                },
                context
            )
        }
    }

    /// Ends what is under way and closes the connection; the pool has to be closed before.
    func close() throws {
        try self.queue.close()
    }

    /// Looks after a commit, where it was made, whether there is enough to copy.
    func lookAround(_ database: Database) {
        switch self.log.withLock({ $0.next() }) {
        case .nothing: break
        case .copyHere: self.copy(database)
        case .copyBeside:
            self.queue.asyncWriteWithoutTransaction { database in
                self.copy(database)
                self.log.withLock { $0.endCopying() }
            }
        }
    }

    /// Copies what no reader holds up; what fails is left to the next round.
    private func copy(_ database: Database) {
        guard let row = try? Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)") else { return }
        let copied: Int = row["checkpointed"]
        self.log.withLock { $0.copied(copied) }
    }
}
