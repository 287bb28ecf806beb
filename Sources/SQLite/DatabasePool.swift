// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Synchronization

/// A connection that writes and several that read at the same time, on one file in WAL mode.
package final class DatabasePool: Sendable {
    private typealias Read = @Sendable (Database) -> Void

    private struct Readers {
        var idle: [DatabaseQueue]
        var waiting: [Read] = []
        var isClosed = false
    }

    package let path: String

    package let writer: DatabaseQueue

    private let readers: [DatabaseQueue]
    private let state: Mutex<Readers>

    /// The reads that are queued or running.
    private let reads = DispatchGroup()

    /// Opens or creates a database, and switches it to WAL mode unless it is opened for reading only.
    package init(path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()) throws {
        self.path = path
        self.writer = DatabaseQueue(path: path, configuration: configuration)
        var reading = configuration
        reading.isReadOnly = true
        // A reader waits only while another process closes or recovers the write-ahead log. So it waits longer.
        reading.busyTimeout = .seconds(10)
        let readers = (0..<max(1, configuration.maximumReaderCount)).map { [reading] _ in
            DatabaseQueue(path: path, configuration: reading)
        }
        self.readers = readers
        self.state = Mutex(Readers(idle: readers))
        guard !configuration.isReadOnly else { return }
        try self.writer.performAndWait { database in
            guard try database.value("PRAGMA journal_mode = WAL")?.text == "wal" else {
                throw DatabaseError(.error, "Failed to activate WAL mode")
            }
        }
    }

    /// Executes `body` with a connection for reading, in the order of the calls, and returns at once.
    ///
    /// Each statement sees the latest commit unless `body` opens a transaction, which it has to end.
    package func enqueueRead(_ body: @escaping @Sendable (Database) -> Void) {
        let (idle, isClosed) = self.state.withLock { state -> (DatabaseQueue?, Bool) in
            guard !state.isClosed else { return (nil, true) }
            self.reads.enter()
            if let reader = state.idle.popLast() { return (reader, false) }
            state.waiting.append(body)
            return (nil, false)
        }
        // Not counted, since close() would wait for it; its statements fail once the connection is closed.
        if isClosed { return self.readers[0].enqueue(body) }
        if let idle { idle.enqueue { self.serve(body, with: $0, of: idle) } }
    }

    /// Executes a short read on the thread of the caller; returns `nil` at once if no open connection is idle.
    ///
    /// Each statement sees the latest commit unless `body` opens a transaction, which it has to end.
    package func readIfIdle<Value: Sendable>(_ body: @Sendable (Database) -> Value) -> Value? {
        let idle = self.state.withLock { state -> DatabaseQueue? in
            guard !state.isClosed, let reader = state.idle.popLast() else { return nil }
            self.reads.enter()
            return reader
        }
        guard let idle else { return nil }
        let value = idle.performIfIdle(body)
        if let next = self.endRead(of: idle) { idle.enqueue { self.serve(next, with: $0, of: idle) } }
        return value
    }

    /// Executes a read, and then those that wait for a connection.
    private func serve(_ first: @escaping Read, with database: Database, of reader: DatabaseQueue) {
        var next: Read? = first
        while let read = next {
            read(database)
            next = self.endRead(of: reader)
        }
    }

    /// Returns the next read for a connection, which is idle if none waits.
    private func endRead(of reader: DatabaseQueue) -> Read? {
        defer { self.reads.leave() }
        return self.state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.idle.append(reader)
            return nil
        }
    }

    /// Reads one state of the database.
    ///
    /// Cancelling the task interrupts the statement and throws `CancellationError`.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.enqueueRead { database in
                    continuation.resume(with: Result { try database.read(until: cancellation, body) })
                }
            }
        } onCancel: {
            cancellation.request()
        }
    }

    /// Whether ``close()`` was called; it may still wait for reads.
    package var isClosed: Bool { self.state.withLock { $0.isClosed } }

    /// Closes all connections after the calls that have begun.
    package func close() {
        self.state.withLock { $0.isClosed = true }
        self.reads.wait()
        for reader in self.readers { reader.close() }
        self.writer.close()
    }
}

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

    /// Executes `body` on the thread of the caller; returns `nil` at once if the connection is not open or is in use.
    func performIfIdle<Value: Sendable>(_ body: @Sendable (Database) -> Value) -> Value? {
        self.database.withLockIfAvailable { $0.isOpen ? body($0) : nil } ?? nil
    }

    /// Closes the connection after the closures that are queued.
    package func close() {
        self.queue.sync { self.database.withLock { $0.close() } }
    }
}
