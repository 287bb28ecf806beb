// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Synchronization

/// A connection that writes and several that read at the same time, on one file in WAL mode.
package final class DatabasePool: Sendable {
    private typealias Read = @Sendable (Database) -> Void

    private struct PendingRead: Sendable {
        let number: UInt64
        let isScan: Bool
        let body: Read
    }

    private struct Readers {
        /// Half of the connections, so that short reads always find one.
        let maximumScans: Int
        var idle: [DatabaseQueue]
        var waiting: [PendingRead] = []
        /// Scans wait apart from the others, which overtake them while the share of scans is in use.
        var waitingScans: [PendingRead] = []
        var scans = 0
        var lastNumber: UInt64 = 0
        var isClosed = false

        func mayBegin(isScan: Bool) -> Bool { !isScan || self.scans < self.maximumScans }

        /// Takes an idle connection.
        mutating func takeReader(isScan: Bool) -> DatabaseQueue? {
            guard self.mayBegin(isScan: isScan), let reader = self.idle.popLast() else { return nil }
            if isScan { self.scans += 1 }
            return reader
        }

        mutating func append(_ body: @escaping Read, isScan: Bool) {
            self.lastNumber &+= 1
            let read = PendingRead(number: self.lastNumber, isScan: isScan, body: body)
            if isScan { self.waitingScans.append(read) } else { self.waiting.append(read) }
        }

        /// The first of the reads that wait and may begin.
        mutating func takeRead() -> PendingRead? {
            let scan = self.mayBegin(isScan: true) ? self.waitingScans.first : nil
            guard let read = self.waiting.first, scan.map({ read.number < $0.number }) != false else {
                guard scan != nil else { return nil }
                self.scans += 1
                return self.waitingScans.removeFirst()
            }
            return self.waiting.removeFirst()
        }
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
        self.state = Mutex(Readers(maximumScans: max(1, readers.count / 2), idle: readers))
        guard !configuration.isReadOnly else { return }
        try self.writer.performAndWait { database in
            guard try database.value("PRAGMA journal_mode = WAL")?.text == "wal" else {
                throw DatabaseError(.error, "Failed to activate WAL mode")
            }
        }
    }

    /// Executes `body` with a connection for reading, in the order of the calls, and returns at once.
    ///
    /// Each statement sees the latest commit unless `body` opens a transaction, which it has to end. Scans, which read
    /// many rows, use at most half of the connections.
    package func enqueueRead(isScan: Bool = false, _ body: @escaping @Sendable (Database) -> Void) {
        let (idle, isClosed) = self.state.withLock { state -> (DatabaseQueue?, Bool) in
            guard !state.isClosed else { return (nil, true) }
            self.reads.enter()
            if let reader = state.takeReader(isScan: isScan) { return (reader, false) }
            state.append(body, isScan: isScan)
            return (nil, false)
        }
        // Not counted, since close() would wait for it; its statements fail once the connection is closed.
        if isClosed { return self.readers[0].enqueue(body) }
        if let idle { idle.enqueue { self.serve(body, isScan: isScan, with: $0, of: idle) } }
    }

    /// Executes a short read on the thread of the caller; returns `nil` at once if no open connection is idle.
    ///
    /// Each statement sees the latest commit unless `body` opens a transaction, which it has to end.
    package func readIfIdle<Value: Sendable>(_ body: @Sendable (Database) -> Value) -> Value? {
        let idle = self.state.withLock { state -> DatabaseQueue? in
            guard !state.isClosed, let reader = state.takeReader(isScan: false) else { return nil }
            self.reads.enter()
            return reader
        }
        guard let idle else { return nil }
        let value = idle.performIfIdle(body)
        if let next = self.endRead(of: idle, isScan: false) {
            idle.enqueue { self.serve(next.body, isScan: next.isScan, with: $0, of: idle) }
        }
        return value
    }

    /// Executes a read, and then those that wait for a connection.
    private func serve(_ first: @escaping Read, isScan: Bool, with database: Database, of reader: DatabaseQueue) {
        first(database)
        var last = isScan
        while let next = self.endRead(of: reader, isScan: last) {
            next.body(database)
            last = next.isScan
        }
    }

    /// Returns the next read for a connection, which is idle if none may begin.
    private func endRead(of reader: DatabaseQueue, isScan: Bool) -> PendingRead? {
        defer { self.reads.leave() }
        return self.state.withLock { state in
            if isScan { state.scans -= 1 }
            if let next = state.takeRead() { return next }
            state.idle.append(reader)
            return nil
        }
    }

    /// Reads one state of the database.
    ///
    /// Cancelling the task interrupts the statement and throws `CancellationError`. `timeout` limits the time after the
    /// read has its connection; then it throws ``DatabaseError`` with the code `interrupt`.
    package func read<Value: Sendable>(
        isScan: Bool = false,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.enqueueRead(isScan: isScan) { database in
                    if let timeout { cancellation.request(after: timeout) }
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
