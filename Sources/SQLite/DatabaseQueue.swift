// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Synchronization

/// A connection that executes one closure at a time, in their order, on a thread that may block.
///
/// The first closure opens the file. After ``close()`` all statements throw ``ResultCode/misuse``.
package final class DatabaseQueue: Sendable {
    private let queue = DispatchQueue(label: "apus.sqlite", qos: .userInitiated)
    private let database: Mutex<Database>

    package init(path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()) {
        self.database = Mutex(Database(path: path, configuration: configuration))
    }

    /// Executes `body` later and returns at once.
    package func enqueue(_ body: @escaping @Sendable (Database) -> Void) {
        self.queue.async { self.database.withLock { body($0) } }
    }

    /// Executes `body`.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.enqueue { database in continuation.resume(with: Result { try body(database) }) }
        }
    }

    /// Executes `body` and blocks the caller until it returns; never call it in a closure of the same queue.
    package func performAndWait<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) throws -> Value {
        try self.queue.sync { try self.database.withLock { try body($0) } }
    }

    /// Closes the connection after the closures that are queued.
    package func close() {
        self.queue.sync { self.database.withLock { $0.close() } }
    }
}
