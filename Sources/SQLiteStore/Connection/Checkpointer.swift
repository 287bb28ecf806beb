// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SQLite
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
    init(of pool: DatabasePool, configuration: DatabaseConfiguration) throws {
        self.queue = DatabaseQueue(path: pool.path, configuration: configuration)
        try pool.writer.performAndWait { database in
            try database.onCommit { pages in self.log.withLock { $0.grow(to: pages) } }
        }
    }

    /// Ends what is under way and closes the connection; the pool has to be closed before.
    func close() {
        self.queue.close()
    }

    /// Looks after a commit, where it was made, whether there is enough to copy.
    func lookAround(_ database: Database) {
        switch self.log.withLock({ $0.next() }) {
        case .nothing: break
        case .copyHere: self.copy(database)
        case .copyBeside:
            self.queue.enqueue { database in
                self.copy(database)
                self.log.withLock { $0.endCopying() }
            }
        }
    }

    /// Copies what no reader holds up; what fails is left to the next round.
    private func copy(_ database: Database) {
        guard let copied = try? database.checkpoint() else { return }
        self.log.withLock { $0.copied(copied) }
    }
}
